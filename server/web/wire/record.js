/**
 * The guest's finished matches with what was kept of them.
 *
 * @typedef {{ had: number, kept: number }} Kept
 * @typedef {{ code: string, game: string, ended: number, won: boolean, against?: string,
 *   ideas: (Kept & { idea: string })[] }} Recorded
 */

/** The answers that are asked for. */
const ANSWERS_MAX = 10;

/** Returns the matches, the newest first. @param {Pick<import("./connection.js").Connection, "request">} connection */
export async function record(connection) {
  /** @type {Recorded[]} */
  const matches = [];
  let before;
  for (let answers = 0; answers < ANSWERS_MAX; answers++) {
    const answer = await connection.request({ type: "record", ...(before && { before }) });
    matches.push(...answer.matches);
    before = answer.next;
    if (!before) break;
  }
  return matches;
}
