"use strict";
// Shared by the other scripts: the data, creating elements, announcements, the theme. Text is only ever set as text.
const hh = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...(children || []).filter((child) => child !== null));
    return element;
  }
  const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  const status = document.getElementById("status");
  function announce(text) { status.textContent = text; }

  // Curves differ in colour, dash and marker, by their kind.
  const series = data.series.map((one) => ({ ...one, shown: true }));

  const listeners = [];
  function onTheme(act) { listeners.push(act); }
  function dark() {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  const button = document.getElementById("theme");
  function refresh() {
    button.textContent = dark() ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", dark() ? "Switch to light colours" : "Switch to dark colours");
    for (const act of listeners) act();
  }
  function remembered(value) {
    try { // a browser may deny storage to a local file
      if (value) localStorage.setItem("hyperhedge-theme", value);
      return localStorage.getItem("hyperhedge-theme");
    } catch { return null; }
  }
  const earlier = remembered();
  if (earlier === "light" || earlier === "dark") document.documentElement.dataset.theme = earlier;
  button.hidden = false;
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    remembered(document.documentElement.dataset.theme);
    refresh();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  refresh();

  for (const block of document.querySelectorAll(".code")) {
    const text = block.querySelector("pre");
    const copy = make("button", { type: "button", class: "copy", on: { click: async () => {
      getSelection().selectAllChildren(text);
      try { await navigator.clipboard.writeText(text.textContent); copy.textContent = "Copied"; }
      catch { copy.textContent = "Selected"; }
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    } } }, "Copy");
    block.append(copy);
  }

  // The scripts add content that moves the target of the link: scroll to it again.
  addEventListener("load", () => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" });
  });

  // On paper nothing can be opened, so everything is open while printing.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("section > details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });

  const percent = (share) => share === 0 ? "0 %" : share < 0.001 ? `${(100 * share).toPrecision(2)} %` : `${(100 * share).toFixed(1)} %`;
  return { data, make, svg, announce, series, onTheme, percent };
})();
