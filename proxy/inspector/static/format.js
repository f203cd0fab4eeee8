// Numbers and names as people read them.

const whole = new Intl.NumberFormat("en");

export const count = (value) => (value === null || value === undefined ? "–" : whole.format(Math.round(value)));

/** "1 message", "2 messages". */
export const some = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export function bytes(value) {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(1)} kB`;
  return `${(value / 1e6).toFixed(1)} MB`;
}

export const millis = (value) =>
  value === null || value === undefined ? "–" : value < 10 ? `${value.toFixed(2)} ms` : value < 10000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

const cents = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const parts = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** 12.5 -> "$12.50", 0.004213 -> "$0.00421". */
export const dollars = (value) => (value === null || value === undefined ? "–" : (value && value < 0.1 ? parts : cents).format(value));

/** 1200 -> "1.2k": for axes and small cells. */
export function brief(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(value < 1e7 ? 1 : 0)}M`;
  if (value >= 1e3) return `${(value / 1e3).toFixed(value < 1e4 ? 1 : 0)}k`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

/** "orphan_drop" -> "Orphan drop": so steps, rules and reasons that are new are shown as well. */
export function title(slug) {
  const words = String(slug).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return "3 %", signed with `sign`. */
export function percent(share, sign = false) {
  const value = 100 * share;
  const text = Math.abs(value) < 10 ? value.toFixed(1) : String(Math.round(value));
  return `${sign && value > 0 ? "+" : ""}${text} %`;
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });

/** "… [autogen#3178]" -> the words and where they were reported. */
export function quoted(words) {
  const found = /^([\s\S]*?)\s*\[([^\]]*)\]\s*$/.exec(words ?? "");
  return found ? { words: found[1], source: found[2] } : { words: words ?? "", source: "" };
}
