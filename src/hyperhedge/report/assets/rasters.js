"use strict";
// Matrices of whole hypergraphs, side by side.
(() => {
  const container = document.getElementById("rasters");
  if (!container) return;
  const kinds = Object.fromEntries(hh.series.map((one) => [one.name, one.kind]));
  for (const [name, H] of Object.entries(hh.data.matrices)) {
    container.append(hh.make("figure", { class: `card raster of-${kinds[name]}` },
      hh.make("figcaption", {}, hh.make("b", {}, hh.make("bdi", {}, name)),
        hh.make("span", {}, `${H.n.toLocaleString("en")} × ${H.m.toLocaleString("en")}, ${H.incidences.toLocaleString("en")} incidences`)),
      hh.pictures.matrix(H, name)));
  }
})();
