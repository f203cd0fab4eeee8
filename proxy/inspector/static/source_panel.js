// Where a request comes from: typed, pasted, dropped, an example, or a recent one.

import { add, announce, button, byId, put } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { bytes, some } from "./format.js";
import { isItemsRequest } from "./request_format.js";

const HELD_FROM = 200000;

/** Reads what the reader gives; `use(text)` is called with a request's JSON text that can be looked at. */
export class SourcePanel {
  constructor(use) {
    this.use = use;
    this.held = null;
    this.area = byId("request");
    this.area.addEventListener("input", () => { this.release(); this.fault(""); });
    this.area.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length > HELD_FROM) {
        event.preventDefault();
        this.hold(text, "pasted");
        this.submit();
      }
    });
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.submit(); }
    });
    byId("look").addEventListener("click", () => this.submit());
    byId("clear").addEventListener("click", () => this.clear());
    byId("open-file").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", (event) => { this.read(event.target.files[0]); event.target.value = ""; });
    this.takeDrops();
    add(byId("examples"), EXAMPLES.map((example) => button(example.title, () => this.show(example))));
  }

  show(example) {
    this.give(JSON.stringify({ messages: example.messages }, null, 2), example.title);
  }

  /** The request's text, however long it is. */
  get text() {
    return this.held ?? this.area.value;
  }

  /** Show `text`, called `name`, and look at it. */
  give(text, name) {
    if (text.length > HELD_FROM) this.hold(text, name);
    else {
      this.release();
      this.area.value = text;
      this.area.scrollTop = 0;
    }
    this.submit();
  }

  submit() {
    const text = this.text.trim();
    if (!text) return this.fault("Paste a request, or a list of messages, first.");
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return this.fault(`This is not JSON: ${placeOf(error, text)}`);
    }
    const facts = factsOf(value);
    if (!facts) return this.fault("This is JSON, but neither a list of messages nor an object with “messages” or “input”.");
    this.fault("");
    put(byId("source-facts"), `${facts}, ${bytes(new Blob([text]).size)}`);
    return this.use(text);
  }

  fault(text) {
    put(byId("request-fault"), text);
    this.area.setAttribute("aria-invalid", String(Boolean(text)));
    if (text) {
      byId("source-details").open = true;
      announce(text);
    }
  }

  clear() {
    this.release();
    this.area.value = "";
    this.fault("");
    put(byId("source-facts"));
    this.use(null);
    byId("source-details").open = true;
    this.area.focus();
  }

  /** A long text stays out of the text field, which would crawl under it. */
  hold(text, name) {
    this.held = text;
    this.area.value = "";
    put(byId("held"), `Held: ${name}, ${bytes(new Blob([text]).size)}. It is too long to be edited here.`);
    byId("held").hidden = false;
  }

  release() {
    this.held = null;
    byId("held").hidden = true;
  }

  async read(file) {
    if (!file) return;
    if (file.size > 100e6) return this.fault(`${file.name} has ${bytes(file.size)}; up to 100 MB can be read here.`);
    try {
      this.give(await file.text(), file.name);
    } catch {
      this.fault(`${file.name} cannot be read.`);
    }
  }

  takeDrops() {
    const zone = document.body;
    let depth = 0;
    const over = (on) => { depth = on ? depth : 0; byId("source").classList.toggle("over", on); };
    zone.addEventListener("dragenter", (event) => { if (hasFile(event)) { depth += 1; over(true); } });
    zone.addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) over(false); });
    zone.addEventListener("dragover", (event) => { if (hasFile(event)) event.preventDefault(); });
    zone.addEventListener("drop", (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      over(false);
      this.read(event.dataTransfer.files[0]);
    });
  }
}

/** Say how long the history in `value` is: messages, items of the Responses API, or contents of Gemini's API. Return null where there is none. */
function factsOf(value) {
  const messages = Array.isArray(value) ? value : value?.messages;
  if (Array.isArray(messages)) return some(messages.length, "message");
  if (Array.isArray(value?.contents)) return some(value.contents.length, "content");
  const input = value?.input;
  if (Array.isArray(input)) return some(input.length, "item");
  if (typeof input === "string") return some(1, "item");
  return isItemsRequest(value) ? some(0, "item") : null;
}

const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

/** Say where the JSON breaks off, by line and column where the browser tells the position. */
function placeOf(error, text) {
  const found = /position (\d+)/.exec(error.message);
  if (!found) return "it breaks off, or is written otherwise than JSON.";
  const before = text.slice(0, Number(found[1])).split("\n");
  return `line ${before.length}, column ${before.at(-1).length + 1} (${some(text.length, "character")}).`;
}
