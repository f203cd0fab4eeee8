// JSON as text: what JavaScript's numbers cannot hold stays as it was written. Of text that is known to be JSON.

const SPACE = new Set([" ", "\n", "\r", "\t"]);
const MARKS = new Set(["{", "}", "[", "]", ",", ":"]);

/** Yield the tokens of `text` as [start, end]: strings, marks, and what else there is (numbers and names). */
function* tokens(text) {
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (SPACE.has(text[at])) { at += 1; continue; }
    if (text[at] === '"') at = endOfString(text, at);
    else if (MARKS.has(text[at])) at += 1;
    else while (at < text.length && !SPACE.has(text[at]) && !MARKS.has(text[at])) at += 1;
    yield [start, at];
  }
}

function endOfString(text, start) {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Return the fields of the object `text` as [[name, text of the value]], in their order. */
export function fieldsOf(text) {
  const fields = [];
  let depth = 0;
  let name = null;
  let begin = -1;
  let end = -1;
  const close = () => { if (begin >= 0) fields.push([name, text.slice(begin, end)]); name = null; begin = -1; };
  for (const [start, stop] of tokens(text)) {
    const mark = text[start];
    if (mark === "}" || mark === "]") depth -= 1;
    if (depth === 0) close();
    else if (depth === 1 && mark === "," ) close();
    else if (depth === 1 && name === null && mark === '"') name = JSON.parse(text.slice(start, stop));
    else if (depth > 1 || mark !== ":") {
      if (begin < 0) begin = start;
      end = stop;
    }
    if (mark === "{" || mark === "[") depth += 1;
  }
  return fields;
}

/** Return the text of a field of the object `text`, the last of that name; undefined where there is none. */
export const fieldOf = (text, name) => fieldsOf(text).findLast(([one]) => one === name)?.[1];

/** Return `text` with `indent` spaces a level; in one line, without any, where it is 0. */
export function writeJson(text, indent = 0) {
  const parts = [];
  const line = (depth) => (indent ? `\n${" ".repeat(indent * depth)}` : "");
  let depth = 0;
  let before = "";
  for (const [start, end] of tokens(text)) {
    const token = text.slice(start, end);
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    if (closes) {
      depth -= 1;
      if (before !== "{" && before !== "[") parts.push(line(depth));
    } else if (before === "{" || before === "[") parts.push(line(depth));
    parts.push(token);
    if (opens) depth += 1;
    if (token === ",") parts.push(line(depth));
    if (token === ":" && indent) parts.push(" ");
    before = token;
  }
  return parts.join("");
}
