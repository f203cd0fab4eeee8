/** The command line of the scripts that speak the Responses API, and what they ask for. */

import { z } from "zod";

import { PROMPT } from "../tools.mjs";

const SECOND_PROMPT = "What else do you know?";

/** The tools' parameters. */
export const INPUTS = {
  get_weather: z.object({ city: z.string() }),
  get_time: z.object({ city: z.string(), hours_ahead: z.number().int() }),
};

/** The structured output that a script asks for. */
export const WEATHER = z.object({ city: z.string(), degrees: z.number().int() });

/** Read the command line: `BASE_URL MODEL whole|stream stored|unstored|chained tools|text|structured`. */
export function asked() {
  const [baseURL, model, way, mode, scenario] = process.argv.slice(2);
  return {
    baseURL,
    model,
    stream: way === "stream",
    store: mode === "unstored" ? false : undefined,
    isChained: mode === "chained",
    isStructured: scenario === "structured",
    prompts: scenario === "text" ? [PROMPT, SECOND_PROMPT] : [PROMPT],
  };
}
