"use strict";
// The reverse diffusion: states in bytes, painted on two canvases; a slider, a button and the keyboard select the frame.
(() => {
  const container = document.getElementById("animation");
  if (!container) return;
  const { make, svg, data } = hh;
  const animations = data.animations.map((animation) => ({ ...animation, states: Uint8Array.from(atob(animation.bytes), (c) => c.charCodeAt(0)) }));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let animation = animations[0], frame = 0, timer = null;

  const matrix = make("canvas", { role: "img", id: "player-matrix" }), picture = make("canvas", { role: "img", id: "player-picture" });
  const slider = make("input", { type: "range", min: 0, step: 1, value: 0, id: "player-slider", "aria-label": "Step of the reverse diffusion" });
  const spark = svg("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", "aria-hidden": "true" });
  const play = make("button", { type: "button", id: "player-play" }, "▶ Play");
  const select = make("select", { "aria-label": "Sample" }, ...animations.map((_, k) => make("option", { value: k }, `sample ${k + 1}`)));
  const readout = make("p", { class: "readout" });
  container.append(make("div", { class: "player" }, make("div", { class: "stage" }, matrix, picture),
    make("div", { class: "controls" }, play, make("div", { class: "track" }, slider, spark), select), readout));
  select.hidden = animations.length < 2;

  const value = (byte) => animation.lowest + (byte / 255) * (animation.highest - animation.lowest);
  function colour(name) { // a CSS variable as [r, g, b]
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    container.append(probe);
    const channels = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    probe.remove();
    return channels;
  }
  const mix = (a, b, t) => a.map((v, k) => Math.round(v + (b[k] - v) * t));
  let colours = {};
  function palette() {
    colours = Object.fromEntries(["sunk", "generated", "ink", "card", "warm"].map((name) => [name, colour(`--${name}`)]));
  }
  function shade(v) { // warm below 0, towards the colour of generated hypergraphs from 0 to 1, towards that of the text above 1
    if (v < 0) return mix(colours.sunk, colours.warm, Math.min(0.75, -1.5 * v));
    return v <= 1 ? mix(colours.sunk, colours.generated, v) : mix(colours.generated, colours.ink, Math.min(1, v - 1));
  }
  const rgb = (c, alpha = 1) => `rgb(${c[0]} ${c[1]} ${c[2]} / ${alpha})`;

  function context(canvas) {
    const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(box.width * ratio));
    canvas.height = Math.max(1, Math.round(box.height * ratio));
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    return [pen, box.width, box.height];
  }
  function paintMatrix(states, n, m) {
    const [pen, width, height] = context(matrix);
    const cell = Math.min(width / m, height / n), left = (width - cell * m) / 2, top = (height - cell * n) / 2;
    const gap = cell > 5 ? 0.5 : 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) {
      pen.fillStyle = rgb(shade(value(states[i * m + j])));
      pen.fillRect(left + j * cell, top + i * cell, cell - gap, cell - gap);
    }
  }
  function paintPicture(states, n, m) {
    const [pen, width, height] = context(picture);
    const scale = Math.min(width, height) / 1080, { nodes, edges } = animation.picture;
    const wide = Math.min(width / 1080, scale * 1.6); // use the room on the sides
    const x = (v) => width / 2 + (v - 500) * wide, y = (v) => height / 2 + (v - 500) * scale;
    pen.lineCap = "round";
    for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) {
      const strength = Math.min(1, value(states[i * m + j]));
      if (strength < 0.12) continue;
      pen.strokeStyle = rgb(colours.generated, 0.55 * strength ** 1.6);
      pen.lineWidth = 0.4 + 1.4 * strength;
      pen.beginPath();
      pen.moveTo(x(nodes[2 * i]), y(nodes[2 * i + 1]));
      pen.lineTo(x(edges[2 * j]), y(edges[2 * j + 1]));
      pen.stroke();
    }
    for (let j = 0; j < m; j++) {
      pen.fillStyle = rgb(colours.card); pen.strokeStyle = rgb(colours.generated); pen.lineWidth = 2;
      pen.fillRect(x(edges[2 * j]) - 4, y(edges[2 * j + 1]) - 4, 8, 8);
      pen.strokeRect(x(edges[2 * j]) - 4, y(edges[2 * j + 1]) - 4, 8, 8);
    }
    for (let i = 0; i < n; i++) {
      pen.fillStyle = rgb(colours.ink);
      pen.beginPath();
      pen.arc(x(nodes[2 * i]), y(nodes[2 * i + 1]), 4, 0, 7);
      pen.fill();
    }
  }
  function paintSpark() {
    const last = animation.frames - 1;
    const values = [...animation.decided, 1];
    const line = values.map((v, k) => `${((100 * k) / last).toFixed(2)} ${(28 - 26 * v).toFixed(2)}`).join("L");
    const now = (100 * frame) / last;
    spark.replaceChildren(svg("path", { class: "spark", d: `M0 30L${line}L100 30Z` }), svg("line", { class: "now", x1: now, x2: now, y1: 0, y2: 30 }));
  }
  function scaleOfColours() {
    const bar = svg("svg", { viewBox: "0 0 40 4", preserveAspectRatio: "none", "aria-hidden": "true" });
    for (let k = 0; k < 40; k++) bar.append(svg("rect", { x: k, width: 1.1, height: 4, fill: rgb(shade(animation.lowest + (k / 39) * (animation.highest - animation.lowest))) }));
    return make("span", { class: "colours" }, `${animation.lowest}`, bar, `${animation.highest}`);
  }
  function show() {
    const { n, m } = animation.picture, states = animation.states.subarray(frame * n * m, (frame + 1) * n * m);
    paintMatrix(states, n, m);
    paintPicture(states, n, m);
    paintSpark();
    const done = frame === animation.frames - 1;
    const where = done ? "the hypergraph" : `time ${animation.times[frame].toFixed(3)}`;
    const decided = done ? 1 : animation.decided[frame];
    readout.replaceChildren(make("span", {}, `frame ${frame + 1} of ${animation.frames}: `, make("b", {}, where)),
      make("span", {}, make("b", {}, `${Math.round(100 * decided)} %`), " of the entries within 0.1 of 0 or 1"), scaleOfColours());
    slider.value = frame;
    slider.setAttribute("aria-valuetext", `${where}, ${Math.round(100 * decided)} percent of the entries decided`);
    matrix.setAttribute("aria-label", `Incidence matrix at ${where}`);
    picture.setAttribute("aria-label", `Picture at ${where}`);
  }
  function go(to) { frame = Math.max(0, Math.min(animation.frames - 1, to)); show(); }
  function stop() { clearInterval(timer); timer = null; play.textContent = "▶ Play"; play.setAttribute("aria-pressed", "false"); }
  function start() {
    if (frame === animation.frames - 1) go(0);
    play.textContent = "❚❚ Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => { go(frame + 1); if (frame === animation.frames - 1) stop(); }, calm.matches ? 600 : 90);
  }
  play.setAttribute("aria-pressed", "false");
  play.addEventListener("click", () => (timer ? stop() : start()));
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  select.addEventListener("change", () => { stop(); animation = animations[Number(select.value)]; slider.max = animation.frames - 1; go(frame); });
  container.addEventListener("keydown", (event) => {
    if (event.target === slider || event.target === select) return; // they handle keys themselves
    const moves = { ArrowLeft: frame - 1, ArrowRight: frame + 1, Home: 0, End: animation.frames - 1 };
    if (event.key in moves) { event.preventDefault(); stop(); go(moves[event.key]); }
  });
  slider.max = animation.frames - 1;
  const refresh = () => { palette(); show(); };
  hh.onTheme(refresh);
  new ResizeObserver(() => show()).observe(picture);
  matchMedia("print").addEventListener("change", refresh);
  palette();
  go(animation.frames - 1);
})();
