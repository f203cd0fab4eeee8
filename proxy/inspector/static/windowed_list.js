// A list of any length of which only the rows near the window are in the document.

const FEW = 200;
const BEYOND = 900;

/**
 * Shows `count` rows in `host`; `render(index)` makes one. Heights are guessed until a row has been seen.
 *
 * Rows may not have margins. A short list is rendered whole, so that the browser's own search finds all of it.
 */
export class WindowedList {
  constructor(host, count, render, guess = 110) {
    this.host = host;
    this.count = count;
    this.render = render;
    this.heights = new Float64Array(count).fill(guess);
    this.offsets = new Float64Array(count + 1);
    this.stale = true;
    this.shown = new Map();
    this.above = spacer();
    this.below = spacer();
    host.replaceChildren(this.above, this.below);
    this.stop = new AbortController();
    const later = () => { this.frame ??= requestAnimationFrame(() => { this.frame = undefined; this.update(); }); };
    addEventListener("scroll", later, { passive: true, signal: this.stop.signal });
    addEventListener("resize", later, { passive: true, signal: this.stop.signal });
    this.sizes = new ResizeObserver(later);
    this.sizes.observe(host);
    this.update();
  }

  end() {
    this.stop.abort();
    this.sizes.disconnect();
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.host.replaceChildren();
    this.shown.clear();
  }

  /** Put what is near the window into the document, and take out what is far. */
  update() {
    if (this.host.offsetParent === null || this.stop.signal.aborted) return; // in a tab that is not shown
    for (let pass = 0; pass < 3; pass += 1) {
      const [from, to] = this.range();
      this.show(from, to);
      if (!this.measure()) break;
    }
  }

  range() {
    if (this.count <= FEW) return [0, this.count];
    this.place();
    const top = this.host.getBoundingClientRect().top;
    const from = this.at(-top - BEYOND);
    const to = Math.min(this.count, this.at(innerHeight - top + BEYOND) + 1);
    return [from, Math.max(to, from)];
  }

  show(from, to) {
    for (const [index, node] of this.shown) {
      if (index < from || index >= to) {
        node.remove();
        this.shown.delete(index);
      }
    }
    let before = this.above;
    for (let index = from; index < to; index += 1) {
      let node = this.shown.get(index);
      if (!node) {
        node = this.render(index);
        node.setAttribute("aria-setsize", this.count);
        node.setAttribute("aria-posinset", index + 1);
        node.dataset.row = index;
        this.shown.set(index, node);
        before.after(node);
      }
      before = node;
    }
    this.place();
    this.above.style.height = `${this.offsets[from]}px`;
    this.below.style.height = `${this.offsets[this.count] - this.offsets[to]}px`;
  }

  /** Learn the heights of what is shown; tell whether any was another. */
  measure() {
    let other = false;
    for (const [index, node] of this.shown) {
      const height = node.getBoundingClientRect().height;
      if (Math.abs(height - this.heights[index]) > 0.5) {
        this.heights[index] = height;
        other = this.stale = true;
      }
    }
    return other && this.count > FEW;
  }

  place() {
    if (!this.stale) return;
    for (let index = 0; index < this.count; index += 1) this.offsets[index + 1] = this.offsets[index] + this.heights[index];
    this.stale = false;
  }

  at(offset) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle + 1] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Render row `index` anew. */
  renew(index) {
    const old = this.shown.get(index);
    if (!old) return;
    const had = old.contains(document.activeElement);
    this.shown.delete(index);
    old.remove();
    this.update();
    if (had) this.shown.get(index)?.focus({ preventScroll: true });
  }

  /** Bring row `index` into the window and give it the focus. */
  reach(index, room = 120) {
    if (index < 0 || index >= this.count) return;
    this.bring(index, room);
    this.shown.get(index)?.focus({ preventScroll: true });
  }

  /** Bring row `index` into the window, below `room` pixels, if it is not there. */
  bring(index, room = 120) {
    for (let pass = 0; pass < 4; pass += 1) {
      const node = this.shown.get(index);
      this.place();
      const top = node ? node.getBoundingClientRect().top : this.host.getBoundingClientRect().top + this.offsets[index];
      const hidden = top < room || top > innerHeight - 80;
      if (node && !hidden) break;
      scrollTo({ top: scrollY + top - room, behavior: "instant" });
      this.update();
    }
  }
}

function spacer() {
  const node = document.createElement("div");
  node.setAttribute("aria-hidden", "true");
  node.className = "spacer";
  return node;
}
