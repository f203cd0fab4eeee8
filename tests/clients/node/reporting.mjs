/** What every client script is told on its command line, and the one line of JSON that it answers with. */

/** Read the command line: `BASE_URL MODEL whole|stream`. */
export function asked() {
  const [baseURL, model, mode] = process.argv.slice(2);
  return { baseURL, model, stream: mode === "stream" };
}

/** What the client saw: the calls of every round, and the text at the end. */
export class Report {
  rounds = [];
  text = null;

  /** Note that an answer with calls has come. */
  beginRound() {
    this.rounds.push([]);
  }

  /** Note a call as the client gives it, and return its arguments. */
  called(id, name, given) {
    const read = typeof given === "string" ? JSON.parse(given) : given;
    this.rounds.at(-1).push({ id, name, arguments: read });
    return read;
  }

  /** Print the report. */
  write() {
    console.log(JSON.stringify({ rounds: this.rounds, text: this.text }));
  }
}
