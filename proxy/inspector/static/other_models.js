// The verdicts on the request for every other target, asked for once.

import { el, put } from "./dom.js";
import { drawVerdicts } from "./verdicts_view.js";

/** Shows in `host` what `ask(signal)`, a promise of /ui/api/verdicts, answers; `choose(target)` looks at one. */
export class OtherModels {
  constructor(host, ask, choose) {
    this.host = host;
    this.ask = ask;
    this.choose = choose;
    this.asked = null;
  }

  /** Another request is looked at: what was asked is given up. */
  forget() {
    this.asked?.leaving.abort();
    this.asked = null;
  }

  /** Show the verdicts on the request `text`; the row of the target `current` is the one that is shown. */
  async draw(text, current) {
    this.current = current;
    if (text === null) return put(this.host, el("p", { class: "empty" }, "Paste a request first: it is tried here for every configured model and every profile."));
    const asked = (this.asked ??= this.begin());
    if (asked.rows) return this.show(asked.rows);
    put(this.host, el("p", { class: "waiting", role: "status" }, "Trying every target…"));
    if (asked.drawn) return undefined;
    asked.drawn = true;
    try {
      asked.rows = (await asked.answer).rows ?? [];
      if (asked === this.asked) this.show(asked.rows);
    } catch (error) {
      if (asked !== this.asked) return undefined;
      this.asked = null;
      put(this.host, el("p", { class: "failure", role: "alert" }, error.message));
    }
    return undefined;
  }

  begin() {
    const leaving = new AbortController();
    return { leaving, answer: this.ask(leaving.signal), rows: null, drawn: false };
  }

  show(rows) {
    drawVerdicts(this.host, rows, this.current, this.choose);
  }
}
