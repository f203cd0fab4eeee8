/** The command line of the scripts that speak the Messages API, and anthropic's client in the version for it. */

import { DESCRIPTIONS, PARAMETERS, TOOLS } from "../tools.mjs";

const PACKAGES = { "2026-10-21": "@anthropic-ai/sdk", "2023-06-01": "@anthropic-ai/sdk-2023" };

/** The declarations of the two tools as the Messages API has them. */
export const DECLARED = Object.keys(TOOLS).map((name) => ({
  name,
  description: DESCRIPTIONS[name],
  input_schema: { ...PARAMETERS[name], additionalProperties: false },
}));

/** Read the command line: `TASK ORIGIN MODEL whole|stream VERSION [MORE…]`. */
export async function asked() {
  const [task, baseURL, model, way, version, ...more] = process.argv.slice(2);
  const { default: Anthropic } = await import(PACKAGES[version]);
  const client = (apiKey = "none") => new Anthropic({ baseURL, apiKey, maxRetries: 0 });
  return { task, Anthropic, client, model, stream: way === "stream", more };
}
