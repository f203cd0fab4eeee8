// The client API of a request: chat completions, or the Responses API.

const HISTORY_FIELDS = ["input", "previous_response_id", "conversation"];

/** Tell whether `request`, an object or null, is one of the Responses API: it has its history in a field of that API. */
export const isItemsRequest = (request) => Boolean(request) && !("messages" in request) && HISTORY_FIELDS.some((name) => name in request);

/** The path of the API for `request`. */
export const pathOf = (request) => (isItemsRequest(request) ? "responses" : "chat/completions");
