/** The steps of the scripts that ask with limited keys, each `KEY:RETRIES`. */

/** Print what `ask` returns for each step: null for an answer, or the facts of an exception. */
export async function tell(steps, ask) {
  const told = [];
  for (const step of steps) {
    const end = step.lastIndexOf(":");
    told.push(await ask(step.slice(0, end), Number(step.slice(end + 1))));
  }
  console.log(JSON.stringify({ told }));
}
