"use strict";
// Sort all rows by a column, or restore the groups.
(() => {
  const table = document.querySelector("table.metrics:has([data-sort])");
  if (!table) return;
  const groups = [...table.tBodies].map((body) => ({ body, rows: [...body.rows] }));
  const all = groups.flatMap((group) => group.rows.filter((row) => row.classList.contains("row")));
  const sorted = hh.make("tbody", {});
  const headings = [...table.tHead.querySelectorAll("th[data-sort]")];

  function restore() {
    sorted.remove();
    for (const { body, rows } of groups) { body.replaceChildren(...rows); table.append(body); }
  }
  function sort(key, up) {
    const value = (row) => Number(row.getAttribute(`data-${key}`));
    const order = [...all].sort((a, b) => (up ? 1 : -1) * (value(a) - value(b)));
    for (const { body } of groups) body.remove();
    sorted.replaceChildren(...order);
    table.append(sorted);
  }
  // A table that is wider than its box says so.
  const box = table.closest(".scroll");
  function mark() {
    box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
    box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  }
  box.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(box);
  mark(); // the observer says so only after the first picture

  for (const heading of headings) {
    const button = hh.make("button", { type: "button" }, ...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", heading.dataset.sort === "order" ? "other" : "none");
    button.addEventListener("click", () => {
      const key = heading.dataset.sort;
      const before = heading.getAttribute("aria-sort");
      for (const other of headings) other.setAttribute("aria-sort", "none");
      if (key === "order") { restore(); heading.setAttribute("aria-sort", "other"); hh.announce("Grouped."); return; }
      const up = before === "descending";
      sort(key, up);
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      hh.announce(`Sorted by ${button.textContent}, ${up ? "smallest" : "largest"} first.`);
    });
  }
})();
