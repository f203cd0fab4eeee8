// Which result answers which call, and the lane in which the line between them runs. Pure.

const LANES = 5;
const HUES = 6;

/**
 * Return for each of `messages` {calls: [tie], answers: tie or null, lanes: [{lane, hue, part}], open: [...]}.
 *
 * A tie is {number, hue, id, answered}; `part` is "start", "through", "end" or "both"; `open` are the lanes that run on
 * below the message. A result without a call has `answers: null` and `stray: true`.
 */
export function tieCalls(messages) {
  const ties = [];
  const waiting = new Map();
  const rows = messages.map(() => ({ calls: [], answers: null, stray: false, lanes: [], open: [] }));
  messages.forEach((message, at) => {
    if (message.role === "assistant") {
      for (const id of callIds(message)) {
        const tie = { number: ties.length + 1, hue: ties.length % HUES, id, from: at, to: -1 };
        ties.push(tie);
        rows[at].calls.push(tie);
        waiting.set(id, tie);
      }
    } else if (message.role === "tool" || message.role === "function") {
      const id = message.role === "function" ? message.name : message.tool_call_id;
      const tie = waiting.get(id);
      if (tie) {
        tie.to = at;
        rows[at].answers = tie;
        waiting.delete(id);
      } else {
        rows[at].stray = true;
      }
    }
  });
  drawLanes(rows);
  return rows;
}

function callIds(message) {
  const ids = Array.isArray(message.tool_calls) ? message.tool_calls.map((call) => call?.id ?? "") : [];
  const legacy = message.function_call?.name;
  return typeof legacy === "string" ? [...ids, legacy] : ids;
}

function drawLanes(rows) {
  const free = Array.from({ length: LANES }, (_, lane) => lane);
  const running = new Map();
  for (const row of rows) {
    for (const [tie, lane] of running) if (tie !== row.answers) row.lanes.push({ lane, hue: tie.hue, part: "through" });
    if (row.answers && running.has(row.answers)) {
      const lane = running.get(row.answers);
      row.lanes.push({ lane, hue: row.answers.hue, part: "end" });
      running.delete(row.answers);
      free.push(lane);
      free.sort((a, b) => a - b);
    }
    for (const tie of row.calls) {
      if (tie.to < 0 || !free.length) continue;
      const lane = free.shift();
      running.set(tie, lane);
      row.lanes.push({ lane, hue: tie.hue, part: "start" });
    }
    row.open = [...running].map(([tie, lane]) => ({ lane, hue: tie.hue, part: "through" }));
  }
}
