// Small charts of the last minutes: columns or a line, one series or several stacked.

import { el, put, svg } from "./dom.js";
import { brief } from "./format.js";

const WIDTH = 300;
const HEIGHT = 64;

/**
 * Show in `card` a chart: `series` is a list of {name, values}; `now` is the text that is large, `when` the time that it is
 * of, `unit` that of the axis. Without `headed` the name stands elsewhere. `shape` is "columns" (stacked) or "lines".
 */
export function drawChart(card, { name, now, when, note, series, unit = "", shape = "columns", minutes, headed = true }) {
  const points = series[0]?.values.length ?? 0;
  const totals = Array.from({ length: points }, (_, at) => series.reduce((total, one) => total + (one.values[at] ?? 0), 0));
  const highest = Math.max(0, ...(shape === "columns" ? totals : series.flatMap((one) => one.values)));
  const top = highest || 1;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "spark", role: "img", preserveAspectRatio: "none", "aria-label": `${name}: ${now} ${when}; at most ${brief(highest)}${unit} in the last ${minutes} minutes` });
  const step = WIDTH / Math.max(points, 1);
  const y = (value) => HEIGHT - 1 - (value / top) * (HEIGHT - 6);
  if (shape === "columns") {
    for (let at = 0; at < points; at += 1) {
      let base = 0;
      series.forEach((one, which) => {
        const value = one.values[at] ?? 0;
        if (value > 0) picture.append(svg("rect", { x: at * step, y: y(base + value), width: Math.max(0.8, step - 0.6), height: y(base) - y(base + value), class: `series-${which % 6}` }));
        base += value;
      });
    }
  } else {
    series.forEach((one, which) => {
      const line = one.values.map((value, at) => `${((at + 0.5) * step).toFixed(1)},${y(value ?? 0).toFixed(1)}`).join(" ");
      picture.append(svg("polyline", { points: line, class: `line-${which % 6}` }));
    });
  }
  picture.append(svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5, class: "base" }));
  put(card,
    headed ? el("h3", {}, name) : null, el("p", { class: "now" }, now, " ", el("span", { class: "when" }, when)),
    el("div", { class: "plot" }, el("span", { class: "top" }, highest ? `${brief(highest)}${unit}` : ""), picture),
    el("p", { class: "span" }, el("span", {}, `−${minutes} min`), el("span", {}, "now")),
    series.length > 1 || note ? el("ul", { class: "legend" },
      series.length > 1 ? series.map((one, which) => el("li", {}, el("span", { class: `swatch swatch-series-${which % 6}`, "aria-hidden": "true" }), one.label ?? one.name)) : null,
      note ? el("li", { class: "under" }, note) : null) : null);
}
