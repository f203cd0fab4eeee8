// Which message of the one list is which of the other. Pure.

const texts = new WeakMap();

/** Return a message as text, made once: two that read alike are the same. */
export function textOf(message) {
  let text = texts.get(message);
  if (text === undefined) {
    text = JSON.stringify(message);
    texts.set(message, text);
  }
  return text;
}

/**
 * Return the rows in which `left` and `right` stand side by side: {left, right, state}, places or -1.
 *
 * Both are lists of {origin, message}. `state` is "same", "changed", "removed", "inserted", "moved_from" or "moved_to".
 * Both columns keep their own order; of those that cannot keep a common one, as few as possible count as moved.
 */
export function align(left, right) {
  const partner = matchUp(left, right);
  const kept = longestRising(partner);
  const leftKept = new Set([...kept].map((at) => partner[at]));
  const leftMoved = new Set(partner.filter((at, j) => at >= 0 && !kept.has(j)));
  const rows = [];
  let next = 0;
  let waiting = [];
  const flush = (until) => {
    for (; next < until; next += 1) {
      if (!leftKept.has(next)) rows.push({ left: next, right: -1, state: leftMoved.has(next) ? "moved_from" : "removed" });
    }
    rows.push(...waiting);
    waiting = [];
  };
  for (let j = 0; j < right.length; j += 1) {
    const i = partner[j];
    if (i >= 0 && kept.has(j)) {
      flush(i);
      next = i + 1;
      const same = left[i].message === right[j].message || textOf(left[i].message) === textOf(right[j].message);
      rows.push({ left: i, right: j, state: same ? "same" : "changed" });
    } else {
      waiting.push({ left: -1, right: j, state: i >= 0 ? "moved_to" : "inserted" });
    }
  }
  flush(left.length);
  return rows;
}

/** Return, for each of `right`, its place in `left` or -1: first by what is said, then by role, always by origin. */
function matchUp(left, right) {
  const byOrigin = new Map();
  left.forEach((entry, i) => {
    if (entry.origin === null || entry.origin === undefined) return;
    if (byOrigin.has(entry.origin)) byOrigin.get(entry.origin).push(i);
    else byOrigin.set(entry.origin, [i]);
  });
  const partner = new Array(right.length).fill(-1);
  const taken = new Set();
  const take = (fits) => right.forEach((entry, j) => {
    if (partner[j] >= 0) return;
    for (const i of byOrigin.get(entry.origin) ?? []) {
      if (!taken.has(i) && fits(left[i].message, entry.message)) {
        partner[j] = i;
        taken.add(i);
        return;
      }
    }
  });
  take((a, b) => a === b || textOf(a) === textOf(b));
  take((a, b) => a.role === b.role);
  // Messages that stand for none of the first list (origin null) are those of the step before, word for word.
  const loose = new Map();
  left.forEach((entry, i) => {
    if (!taken.has(i) && (entry.origin === null || entry.origin === undefined)) loose.set(textOf(entry.message), i);
  });
  right.forEach((entry, j) => {
    if (partner[j] >= 0 || !loose.size) return;
    const i = loose.get(textOf(entry.message));
    if (i !== undefined) {
      partner[j] = i;
      loose.delete(textOf(entry.message));
    }
  });
  return partner;
}

/** Return the places of a longest rising run in `values`, those below 0 left out. */
function longestRising(values) {
  const tails = [];
  const before = new Array(values.length).fill(-1);
  values.forEach((value, at) => {
    if (value < 0) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]] < value) low = middle + 1;
      else high = middle;
    }
    before[at] = low ? tails[low - 1] : -1;
    tails[low] = at;
  });
  const run = new Set();
  for (let at = tails.length ? tails[tails.length - 1] : -1; at >= 0; at = before[at]) run.add(at);
  return run;
}

/** Return `text` in three pieces, the middle one being where it differs from `other`; code points are kept whole. */
export function difference(text, other) {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text.charCodeAt(start) === other.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < most - start && text.charCodeAt(text.length - 1 - end) === other.charCodeAt(other.length - 1 - end)) end += 1;
  if (start && isHigh(text.charCodeAt(start - 1))) start -= 1;
  if (end && isLow(text.charCodeAt(text.length - end))) end -= 1;
  return [text.slice(0, start), text.slice(start, text.length - end), text.slice(text.length - end)];
}

const isHigh = (unit) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit) => unit >= 0xdc00 && unit < 0xe000;
