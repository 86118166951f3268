"use strict";
// A hypergraph as a matrix and as a picture; order and positions come from Python.
hh.pictures = (() => {
  const { svg } = hh;

  function densities(H, title) { // a reduced matrix, one pixel per cell
    const { rows, columns, percent } = H.shares;
    const canvas = hh.make("canvas", { class: "matrix", width: Math.max(columns, 1), height: Math.max(rows, 1), role: "img",
      "aria-label": `${title}, densities of the incidence matrix, ${H.n} nodes by ${H.m} hyperedges` });
    const paint = () => {
      const [r, g, b] = getComputedStyle(canvas).color.match(/[\d.]+/g).map(Number);
      const image = new ImageData(canvas.width, canvas.height);
      percent.forEach((value, k) => image.data.set([r, g, b, Math.round(2.55 * value)], 4 * k));
      canvas.getContext("2d").putImageData(image, 0, 0);
    };
    requestAnimationFrame(paint); // once it has a colour
    hh.onTheme(paint);
    return canvas;
  }

  function matrix(H, title) {
    if (H.shares) return densities(H, title);
    const rows = H.n, columns = H.m;
    const image = svg("svg", { class: "matrix", viewBox: `0 0 ${Math.max(columns, 1)} ${Math.max(rows, 1)}`, role: "img",
      "aria-label": `${title}, incidence matrix, ${H.n} nodes by ${H.m} hyperedges`, preserveAspectRatio: "xMidYMid meet" },
      svg("rect", { class: "sheet", width: columns, height: rows }));
    H.rows.forEach((i, k) => {
      const j = H.columns[k];
      image.append(svg("rect", { class: "cell", x: j + 0.06, y: i + 0.06, width: 0.88, height: 0.88, "data-node": i, "data-edge": j }));
    });
    return image;
  }

  function members(H) {
    const lists = Array.from({ length: H.m }, () => []);
    H.rows.forEach((i, k) => lists[H.columns[k]].push(i));
    return lists;
  }

  function hull(points) { // Andrew's monotone chain
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    if (sorted.length < 3) return sorted;
    const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const half = (list) => {
      const chain = [];
      for (const p of list) {
        while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
        chain.push(p);
      }
      return chain.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())];
  }

  function picture(H, title) {
    const at = (list, k) => [list[2 * k], list[2 * k + 1]];
    const image = svg("svg", { class: "picture", viewBox: "-45 -45 1090 1090", role: "img",
      "aria-label": `${title}, picture: ${H.n} nodes, ${H.m} hyperedges, ${H.incidences} incidences` });
    // The more there is to show, the fainter each element.
    image.style.setProperty("--hull", Math.max(0.015, Math.min(0.12, 0.9 / H.m)).toFixed(3));
    image.style.setProperty("--link", Math.max(0.15, Math.min(0.6, 90 / H.incidences)).toFixed(2));
    members(H).forEach((nodes, j) => {
      const points = hull(nodes.map((i) => at(H.nodes, i)));
      if (points.length) image.append(svg("path", { class: "hull", "data-edge": j, d: `M${points.map((p) => p.join(" ")).join("L")}Z` }));
    });
    H.rows.forEach((i, k) => {
      const j = H.columns[k], [x1, y1] = at(H.nodes, i), [x2, y2] = at(H.edges, j);
      image.append(svg("line", { class: "link", "data-node": i, "data-edge": j, x1, y1, x2, y2 }));
    });
    for (let j = 0; j < H.m; j++) {
      const [x, y] = at(H.edges, j);
      image.append(svg("rect", { class: "square", "data-edge": j, x: x - 9, y: y - 9, width: 18, height: 18 }));
    }
    for (let i = 0; i < H.n; i++) {
      const [cx, cy] = at(H.nodes, i);
      image.append(svg("circle", { class: "node", "data-node": i, cx, cy, r: 12 }));
    }
    return image;
  }
  return { matrix, picture, members };
})();
