/** A record of what tests send and receive: `tests/run` holds it against the schema in the end. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env.TESTS_RECORD;

/**
 * @param {"client" | "server"} side
 * @param {string | Buffer} text
 */
export function record(side, text) {
  if (FOLDER) appendFileSync(join(FOLDER, `${side}.jsonl`), `${text}\n`);
}
