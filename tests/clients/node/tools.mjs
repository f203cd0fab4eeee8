/**
 * The two tools, as an application writes them; tests/clients/python/tools.py is the same in Python.
 *
 * What a tool says depends on its name and on each of its arguments, so that a result behind the wrong call is seen.
 */

export const PROMPT = "Find out what I want to know.";

/** A loop that does not end by then is a failure, and must not run for ever. */
export const MOST_ROUNDS = 12;

export const TOOLS = {
  get_weather: ({ city }) => `The weather in ${city} is fine.`,
  get_time: ({ city, hours_ahead }) => `${city}, ${hours_ahead} hours ahead.`,
};

export const DESCRIPTIONS = {
  get_weather: "Tell the weather in a city.",
  get_time: "Tell what time it will be in a city.",
};

export const PARAMETERS = {
  get_weather: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  get_time: {
    type: "object",
    properties: { city: { type: "string" }, hours_ahead: { type: "integer" } },
    required: ["city", "hours_ahead"],
  },
};
