// Broken histories to begin with. Each breaks one rule that providers hold.

const say = (role, content, more = {}) => ({ role, content, ...more });
const call = (id, name, args) => ({ id, type: "function", function: { name, arguments: args } });

export const EXAMPLES = [
  {
    key: "pairing", title: "A call without its result",
    messages: [
      say("system", "You are a careful travel agent."),
      say("user", "What is the weather in Oslo and in Rome?"),
      say("assistant", null, { tool_calls: [call("call_oslo", "weather", '{"city":"Oslo"}'), call("call_rome", "weather", '{"city":"Rome"}')] }),
      say("tool", "4 °C, rain", { tool_call_id: "call_oslo" }),
      say("user", "And Rome?"),
    ],
  },
  {
    key: "orphan", title: "A result without its call",
    messages: [
      say("user", "Read the notes."),
      say("tool", "notes.txt: buy milk", { tool_call_id: "call_gone" }),
      say("assistant", "You want to buy milk."),
      say("user", "Right. Anything else?"),
    ],
  },
  {
    key: "cut", title: "A window that was cut in the middle",
    messages: [
      say("assistant", null, { tool_calls: [call("c7", "read_file", '{"path":"src/app.py"}')] }),
      say("tool", "import sys\n", { tool_call_id: "c7" }),
      say("assistant", "It imports sys."),
      say("assistant", "Shall I go on?"),
    ],
  },
  {
    key: "order", title: "Results that come late, out of order",
    messages: [
      say("user", "Compare both files."),
      say("assistant", null, { tool_calls: [call("a", "read_file", '{"path":"one.txt"}')] }),
      say("assistant", null, { tool_calls: [call("b", "read_file", '{"path":"two.txt"}')] }),
      say("user", "Are you done?"),
      say("tool", "two", { tool_call_id: "b" }),
      say("tool", "one", { tool_call_id: "a" }),
    ],
  },
  {
    key: "shape", title: "Empty texts, a bad name, broken arguments",
    messages: [
      say("user", "Look it up."),
      say("assistant", "", { tool_calls: [call("x1", "look up!", "{not json")] }),
      say("tool", "found", { tool_call_id: "x1" }),
      say("assistant", ""),
      say("user", [{ type: "text", text: "" }, { type: "text", text: "And now?" }]),
    ],
  },
];
