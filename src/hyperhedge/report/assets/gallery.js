"use strict";
// Real and generated hypergraphs side by side; the element under the pointer is highlighted in matrix and picture.
(() => {
  const cards = document.getElementById("cards"), pager = document.getElementById("pager");
  if (!cards) return;
  const { make, data } = hh;
  const ROWS = 2;
  const { real = [], ...others } = data.gallery;
  const names = Object.keys(others);
  let name = names[0];
  const pages = Math.ceil(Math.max(real.length, ...Object.values(others).map((list) => list.length)) / ROWS);
  let page = 0;

  function card(H, kind, name, number) {
    const title = `${name} ${number}`;
    const pointed = make("p", { class: "pointed" });
    const pictures = make("div", { class: "pictures" }, hh.pictures.matrix(H, title),
      H.shares ? make("p", { class: "note" }, "Too large for a picture; the matrix shows densities.") : hh.pictures.picture(H, title));
    const figure = make("figure", { class: `card ${kind}` }, make("figcaption", {}, make("b", {}, make("bdi", {}, name), ` ${number}`),
      make("span", {}, `${H.n} nodes · ${H.m} hyperedges · ${H.incidences} incidences`)), pictures, pointed);
    if (!H.shares) pointable(figure, pictures, pointed, H);
    return figure;
  }

  function pointable(figure, pictures, pointed, H) {
    const groups = hh.pictures.members(H);
    const degrees = new Array(H.n).fill(0);
    for (const i of H.rows) degrees[i]++;
    const clear = () => {
      pictures.classList.remove("pointing");
      for (const element of pictures.querySelectorAll(".on")) element.classList.remove("on");
      pointed.replaceChildren();
    };
    const show = (event) => {
      const { node, edge } = event.target.dataset ?? {};
      clear();
      if (node === undefined && edge === undefined) return;
      const byEdge = edge !== undefined && (node === undefined || event.target.closest(".matrix"));
      const selector = byEdge ? `[data-edge="${edge}"]` : `[data-node="${node}"]`;
      pictures.classList.add("pointing");
      for (const element of pictures.querySelectorAll(selector)) {
        element.classList.add("on");
        const other = byEdge ? element.dataset.node : element.dataset.edge;
        const ends = byEdge ? `.node[data-node="${other}"]` : `.square[data-edge="${other}"]`;
        if (other !== undefined) pictures.querySelector(ends)?.classList.add("on");
      }
      if (byEdge) pointed.append("hyperedge ", make("bdi", {}, H.edgeLabels[edge]), `: ${groups[edge].length} nodes`);
      else pointed.append("node ", make("bdi", {}, H.nodeLabels[node]), `: in ${degrees[node]} hyperedges`);
      if (byEdge && node !== undefined) pointed.append(", including ", make("bdi", {}, H.nodeLabels[node]));
    };
    pictures.addEventListener("pointerover", show);
    pictures.addEventListener("pointerleave", clear);
  }

  function show() {
    const shown = [];
    for (let k = page * ROWS; k < (page + 1) * ROWS; k++) {
      const pair = [[real, "real", "real"], [others[name] ?? [], "generated", name]];
      for (const [list, kind, title] of pair) shown.push(k < list.length ? card(list[k], kind, title, k + 1) : make("div"));
    }
    cards.replaceChildren(...shown);
    back.disabled = page === 0;
    next.disabled = page === pages - 1;
    where.textContent = `${page + 1} of ${pages}`;
  }
  const turn = (by) => () => { page += by; show(); hh.announce(`Gallery, page ${where.textContent}`); };
  const back = make("button", { type: "button", "aria-label": "Previous hypergraphs", on: { click: turn(-1) } }, "← Back");
  const next = make("button", { type: "button", "aria-label": "Next hypergraphs", on: { click: turn(1) } }, "Next →");
  const where = make("span", {});
  if (pages > 1) pager.append(back, where, next);
  if (names.length > 1) {
    const choice = make("select", { "aria-label": "Generator next to real", on: { change: () => { name = choice.value; show(); } } },
      ...names.map((one) => make("option", { value: one }, one)));
    pager.append(choice);
  }
  show();
})();
