// Wide tables, which are cards on a phone: each cell then has its column's name beside it.

import { add, el } from "./dom.js";

/** Return a cell with `attributes` and `children`; a sheet gives it its column's name. */
export const cell = (attributes, ...children) => el("td", attributes, ...children);

/** Return a table `caption` of a `kind`: each of `rows` has its head's children first, then cells; {row, attributes} too. */
export function sheet(caption, kind, heads, rows, shown = false) {
  const line = (given) => {
    const { row, attributes } = Array.isArray(given) ? { row: given, attributes: {} } : given;
    const [first, ...cells] = row;
    cells.forEach((one, at) => { one.dataset.head = heads[at + 1]; one.setAttribute("role", "cell"); });
    return el("tr", { role: "row", ...attributes }, el("th", { scope: "row", role: "rowheader" }, first), cells);
  };
  const head = (name) => el("th", { scope: "col", role: "columnheader" }, name || el("span", { class: "offscreen" }, "Look"));
  return add(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }),
    el("table", { class: `cards ${kind}`, role: "table" }, el("caption", { class: shown ? null : "offscreen" }, caption),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map(head))),
      el("tbody", { role: "rowgroup" }, rows.map(line))));
}
