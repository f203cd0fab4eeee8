// The client API of a request: chat completions, the Responses API, or Anthropic's Messages API.

const HISTORY_FIELDS = ["input", "previous_response_id", "conversation"];
const MESSAGES_FIELDS = ["context_management", "mcp_servers", "output_config", "stop_sequences", "system", "thinking"];
const BLOCKS = new Set(["tool_use", "tool_result", "image", "document", "search_result"]);

/** Tell whether `request`, an object or null, is one of the Responses API: it has its history in a field of that API. */
export const isItemsRequest = (request) => Boolean(request) && !("messages" in request) && HISTORY_FIELDS.some((name) => name in request);

/** Tell whether `request` is one of the Messages API: it has a field, a tool or a block that no chat has. */
export const isMessagesRequest = (request) => Boolean(request) && !Array.isArray(request) && !isItemsRequest(request) && (
  MESSAGES_FIELDS.some((name) => name in request)
  || listOf(request.tools).some((tool) => tool && typeof tool === "object" && "input_schema" in tool)
  || listOf(request.messages).some((message) => listOf(message?.content).some((block) => BLOCKS.has(block?.type)))
);

/** The path of the API for `request`. */
export const pathOf = (request) => {
  if (isItemsRequest(request)) return "responses";
  return isMessagesRequest(request) ? "messages" : "chat/completions";
};

const listOf = (value) => (Array.isArray(value) ? value : []);
