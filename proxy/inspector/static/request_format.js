// The client API of a request: chat completions, the Responses API, Anthropic's Messages API, or Gemini's API.

const HISTORY_FIELDS = ["input", "previous_response_id", "conversation"];
const MESSAGES_FIELDS = ["context_management", "mcp_servers", "output_config", "stop_sequences", "system", "thinking"];
const BLOCK = /"type"\s*:\s*"(?:tool_use|tool_result|image|document|search_result)"/;
const TOOL = /"input_schema"\s*:/;

/** Tell whether `request`, an object or null, is one of the Responses API: it has its history in a field of that API. */
export const isItemsRequest = (request) => Boolean(request) && !("messages" in request) && HISTORY_FIELDS.some((name) => name in request);

/** Tell whether `request` is one of the Messages API: it has a field, a tool or a block that no chat has. Its values may be JSON texts. */
export const isMessagesRequest = (request) => Boolean(request) && !isItemsRequest(request) && (
  MESSAGES_FIELDS.some((name) => name in request) || TOOL.test(textOf(request.tools)) || BLOCK.test(textOf(request.messages))
);

/** Tell whether `request` is one of Gemini's API: it has its history in a field of that API. */
export const isContentsRequest = (request) => Boolean(request) && !("messages" in request) && "contents" in request;

/** The path of the API for `request`, whose values are JSON texts. */
export const pathOf = (request) => {
  if (isContentsRequest(request)) return `models/${encodeURI(JSON.parse(request.model ?? '""'))}:generateContent`;
  if (isItemsRequest(request)) return "responses";
  return isMessagesRequest(request) ? "messages" : "chat/completions";
};

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value ?? null));
