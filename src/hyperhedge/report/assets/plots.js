"use strict";
// Distributions: the real one as an area with its band, the others as lines. Pointer, touch or arrow keys read off values.
(() => {
  const container = document.getElementById("plots");
  if (!container) return;
  const { make, svg, series, percent } = hh;
  const WIDTH = 360, HEIGHT = 220, LEFT = 42, RIGHT = 8, TOP = 8, BOTTOM = 38;
  const choice = Object.fromEntries([...document.querySelectorAll(".choices input:checked")].map((input) => [input.name, input.value]));
  const plots = hh.data.plots.map((plot) => new Plot(plot));

  function tail(shares) {
    const sums = [...shares];
    for (let i = sums.length - 2; i >= 0; i--) sums[i] += sums[i + 1];
    return sums;
  }

  function Plot(plot) {
    const names = Object.keys(plot.series);
    const bins = plot.series.real.shares.length;
    const used = Math.max(...names.map((name) => plot.series[name].shares.findLastIndex((share) => share > 0))) + 1;
    const count = Math.max(1, Math.min(bins, used));
    const curves = { share: {}, tail: {} };
    for (const name of names) {
      curves.share[name] = plot.series[name].shares.slice(0, count);
      curves.tail[name] = tail(plot.series[name].shares).slice(0, count);
    }
    const bands = { share: plot.band, tail: plot.tailBand };
    const edges = plot.edges; // of bins on a logarithmic axis; equal bins have none
    const single = !edges && plot.whole && plot.width === 1; // each bin holds one whole number, in its middle
    const left = (i) => edges ? edges[i] : plot.start + i * plot.width - (single ? 0.5 : 0);
    const middle = (i) => edges ? Math.sqrt(left(i) * left(i + 1)) : left(i) + plot.width / 2;
    const start = left(0), end = left(count);
    const share = (value) => edges ? Math.log(value / start) / Math.log(end / start) : (value - start) / (end - start);
    const x = (value) => LEFT + share(value) * (WIDTH - LEFT - RIGHT);
    let y = null, at = null;

    const chart = svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: "0", role: "img", "aria-label": label() });
    const guide = svg("line", { class: "guide", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    const tip = make("div", { class: "tip", hidden: true });
    const numbers = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${plot.title} as a table` });
    const details = make("details", { on: { toggle: () => { if (details.open) write(); } } }, make("summary", {}, "as a table"), numbers);
    const figure = make("figure", { class: "plot", id: `plot-${plot.key}` },
      make("figcaption", {}, make("h3", {}, plot.title), make("small", {}, means())), chart, tip, details);
    container.append(figure);

    function mean(name) { const value = plot.series[name].mean; return value === null ? "–" : Math.abs(value) < 1000 ? value.toPrecision(3) : `${Math.round(value)}`; }
    function means() {
      const told = names.includes("generated") ? ["real", "generated"] : names;
      return `mean ${told.map((name) => `${mean(name)} ${name}`).join(" · ")}`;
    }
    function label() {
      return `${plot.title}: ${names.map((name) => `${name} mean ${mean(name)}`).join(", ")}. Arrow keys read off values.`;
    }
    function binName(i) {
      const first = edges ? left(i) : plot.start + i * plot.width;
      const last = (edges ? left(i + 1) : first + plot.width) - (plot.whole ? 1 : 0);
      const format = (value) => plot.whole ? `${value}` : `${+value.toPrecision(4)}`;
      return plot.whole && first === last ? format(first) : `${format(first)} – ${format(last)}`;
    }
    function visible() { return series.filter((one) => one.shown && names.includes(one.name)); }

    function scaleY() {
      const kind = choice.kind;
      const values = visible().flatMap((one) => curves[kind][one.name]);
      if (visible().some((one) => one.kind === "real")) values.push(...bands[kind].high.slice(0, count));
      const positive = values.filter((value) => value > 0);
      const bottom = HEIGHT - BOTTOM;
      if (choice.scale === "log") {
        const top = Math.ceil(Math.log10(Math.max(...positive, 1e-3)) - 1e-3);
        const low = Math.max(-6, Math.min(top - 1, Math.floor(Math.log10(Math.min(...positive, 1)) + 1e-9)));
        const ticks = [];
        for (let k = low; k <= top; k++) ticks.push(10 ** k);
        const map = (value) => value <= 10 ** low ? bottom : bottom - ((Math.log10(value) - low) / (top - low)) * (bottom - TOP);
        return { map, ticks: ticks.length > 5 ? ticks.filter((_, i) => (ticks.length - 1 - i) % 2 === 0) : ticks };
      }
      const greatest = Math.max(...positive, 1e-6) * 1.04;
      const step = nice(greatest / 4);
      const ticks = [];
      for (let tick = 0; tick <= greatest + 1e-12; tick += step) ticks.push(tick);
      return { map: (value) => bottom - (value / greatest) * (bottom - TOP), ticks };
    }
    function ticksX() {
      const ticks = [];
      if (edges) {
        const factors = end / start > 30 ? [1] : end / start > 4 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
        for (let k = Math.floor(Math.log10(start)); k <= Math.log10(end); k++) ticks.push(...factors.map((factor) => factor * 10 ** k));
        const inside = ticks.filter((tick) => tick >= start * (1 - 1e-9) && tick <= end * (1 + 1e-9));
        return inside.length > 1 ? inside : [start, end];
      }
      const wide = nice((end - start) / 6);
      const step = plot.whole ? Math.max(1, Math.round(wide)) : wide;
      for (let k = Math.ceil(start / step - 1e-9); k * step <= end + 1e-9 * step; k++) ticks.push(k * step);
      return ticks;
    }
    function nice(raw) {
      const power = 10 ** Math.floor(Math.log10(raw));
      return [1, 2, 2.5, 5, 10].map((k) => k * power).find((step) => step >= raw - 1e-12);
    }
    function steps(values) { // the outline of bars
      return values.map((value, i) => `${i ? "L" : "M"}${x(left(i)).toFixed(1)} ${y(value).toFixed(1)}H${x(left(i + 1)).toFixed(1)}`).join("");
    }
    function area(high, low) {
      const back = [...low.keys()].reverse().map((i) => `L${x(left(i + 1)).toFixed(1)} ${y(low[i]).toFixed(1)}H${x(left(i)).toFixed(1)}`).join("");
      return `${steps(high)}${back}Z`;
    }

    this.render = () => {
      const scale = scaleY();
      y = scale.map;
      const kind = choice.kind, bottom = HEIGHT - BOTTOM;
      const elements = [];
      for (const tick of scale.ticks) {
        elements.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }));
        const digits = choice.scale === "log" ? +(100 * tick).toPrecision(1) : +(100 * tick).toPrecision(3);
        elements.push(svg("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, `${digits}%`));
      }
      for (const tick of ticksX()) elements.push(svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, `${+tick.toPrecision(4)}`));
      elements.push(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, plot.axis));
      for (const one of visible()) {
        const values = curves[kind][one.name];
        if (one.kind === "real") {
          const zero = values.map(() => 0);
          elements.push(svg("path", { class: "fill-real", d: area(values, zero) }));
          elements.push(svg("path", { class: "band", d: area(bands[kind].high.slice(0, count), bands[kind].low.slice(0, count)) }));
          elements.push(svg("path", { class: "series is-real", d: steps(values) }));
        } else {
          const line = values.map((value, i) => `${i ? "L" : "M"}${x(middle(i)).toFixed(1)} ${y(value).toFixed(1)}`).join("");
          elements.push(svg("path", { class: `series ${one.kind === "generated" ? "" : "baseline"} is-${one.kind}`, d: line }));
          if (count <= 30) elements.push(...values.map((value, i) => marker(one.kind, x(middle(i)), y(value), 2.6)));
        }
      }
      elements.push(svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: bottom, y2: bottom }), guide);
      chart.replaceChildren(...elements);
      if (details.open) write();
    };

    function point(i, byKey) {
      at = i;
      if (i === null) { tip.hidden = true; guide.setAttribute("visibility", "hidden"); return; }
      const where = x(middle(i));
      guide.setAttribute("x1", where); guide.setAttribute("x2", where); guide.setAttribute("visibility", "visible");
      const kind = choice.kind, band = bands[kind];
      const lines = visible().map((one) => {
        const extent = one.kind === "real" ? ` (${percent(band.low[i])} … ${percent(band.high[i])})` : "";
        return [one.name, `${percent(curves[kind][one.name][i])}${extent}`];
      });
      tip.replaceChildren(make("b", {}, `${plot.axis}: ${kind === "tail" ? "≥ " : ""}${kind === "tail" ? binName(i).split(" – ")[0] : binName(i)}`),
        ...lines.map(([name, value]) => make("span", {}, make("bdi", {}, name), value)));
      tip.hidden = false;
      const box = chart.getBoundingClientRect(), outer = figure.getBoundingClientRect();
      const pixel = box.left - outer.left + (where / WIDTH) * box.width;
      const room = pixel + 12 + tip.offsetWidth <= outer.width;
      tip.style.left = `${Math.max(4, room ? pixel + 12 : pixel - 12 - tip.offsetWidth)}px`;
      tip.style.top = `${box.top - outer.top + 4}px`;
      if (byKey) hh.announce(tip.innerText.replaceAll("\n", ", "));
    }
    function nearest(event) {
      const box = chart.getBoundingClientRect();
      const part = (((event.clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
      const i = edges ? edges.findLastIndex((edge) => share(edge) <= part) : Math.floor(part * count);
      return Math.max(0, Math.min(count - 1, i));
    }
    chart.addEventListener("pointermove", (event) => point(nearest(event)));
    chart.addEventListener("pointerdown", (event) => point(nearest(event)));
    chart.addEventListener("pointerleave", () => point(null));
    chart.addEventListener("blur", () => point(null));
    chart.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: (at ?? -1) + 1, ArrowLeft: (at ?? count) - 1, Home: 0, End: count - 1 };
      if (event.key === "Escape") point(null);
      else if (event.key in moves) { event.preventDefault(); point(Math.max(0, Math.min(count - 1, moves[event.key])), true); }
    });
    function write() {
      const kind = choice.kind;
      const head = make("tr", {}, make("th", { scope: "col", class: "text" }, plot.axis), ...names.map((name) => make("th", { scope: "col" }, make("bdi", {}, name))));
      const rows = [...Array(count).keys()].map((i) => make("tr", {}, make("th", { scope: "row", class: "text" }, binName(i)),
        ...names.map((name) => make("td", {}, percent(curves[kind][name][i])))));
      numbers.replaceChildren(make("table", { class: "small" }, make("thead", {}, head), make("tbody", {}, ...rows)));
    }
  }

  function marker(kind, cx, cy, r) {
    const shapes = {
      "baseline-0": `M${cx} ${cy - r - 1}L${cx + r + 1} ${cy}L${cx} ${cy + r + 1}L${cx - r - 1} ${cy}Z`,
      "baseline-1": `M${cx - r} ${cy - r}H${cx + r}V${cy + r}H${cx - r}Z`,
      "baseline-2": `M${cx} ${cy - r - 1}L${cx + r + 1} ${cy + r}H${cx - r - 1}Z`,
      "baseline-3": `M${cx} ${cy + r + 1}L${cx + r + 1} ${cy - r}H${cx - r - 1}Z`,
    };
    if (kind in shapes) return svg("path", { class: `point of-${kind}`, d: shapes[kind] });
    return svg("circle", { class: `point of-${kind}`, cx, cy, r });
  }

  function swatch(one) {
    if (one.kind === "real") return svg("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" },
      svg("rect", { class: "fill-real", y: 3, width: 30, height: 9 }), svg("rect", { class: "band", y: 1, width: 30, height: 4 }));
    return svg("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" },
      svg("path", { class: `series ${one.kind === "generated" ? "" : "baseline"} is-${one.kind}`, d: "M0 6H30" }), marker(one.kind, 15, 6, 3));
  }
  const renderAll = () => { for (const plot of plots) plot.render(); };
  document.getElementById("legend").append(...series.map((one) => {
    const button = make("button", { type: "button", "aria-pressed": "true", on: { click: () => {
      one.shown = !one.shown;
      button.setAttribute("aria-pressed", String(one.shown));
      renderAll();
    } } }, swatch(one), make("bdi", {}, one.name));
    return button;
  }));
  for (const input of document.querySelectorAll(".choices input")) {
    input.addEventListener("change", () => { choice[input.name] = input.value; renderAll(); });
  }
  renderAll();
})();
