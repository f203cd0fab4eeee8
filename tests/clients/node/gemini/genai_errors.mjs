/** Asks once with each key of the command line, and tells which exception of @google/genai each failure became. */

import { ApiError } from "@google/genai";

import { answered, collected } from "./asked.mjs";

/** Print each exception: its class, code and status, its words, and the delay that it names. */
export async function errors(given) {
  const told = [];
  for (const [index, key] of given.more.entries()) {
    const client = () => given.client(key);
    try {
      await collected(answered({ ...given, client }, `Hello for the ${index + 1}. time.`));
      told.push(null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const said = /\{.*\}/s.exec(error.message);
      const { code, status, message, details = [] } = JSON.parse(said[0]).error;
      const delay = details.find(({ retryDelay }) => retryDelay)?.retryDelay ?? null;
      told.push([error.name, error.status === code ? code : [error.status, code], status, message, delay]);
    }
  }
  console.log(JSON.stringify({ errors: told }));
}
