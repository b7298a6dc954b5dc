/** Lists of the guest's matches, and the finished ones with what was kept of them. */

const ANSWERS_MAX = 10;

/** Returns the matches, the newest first. @type {(connection: Asked) => Promise<Recorded[]>} */
export async function record(connection) {
  return (await listed(connection, { type: "record" }, ANSWERS_MAX)).matches;
}

/**
 * Asks for a list of matches, in so many answers at most and while it is wanted. Returns it with the place where it
 * goes on, if it does.
 * @type {(connection: Asked, body: RequestBody, answersMax: number, isWanted?: () => boolean) => Promise<any>}
 */
export async function listed(connection, body, answersMax, isWanted = () => true) {
  const matches = [];
  let before;
  for (let answers = 0; answers < answersMax; answers++) {
    /** @type {any} */
    const answer = await connection.request({ ...body, ...(before && { before }) });
    matches.push(...answer.matches);
    before = answer.more ?? answer.next;
    if (!before || !isWanted()) break;
  }
  return { matches, before };
}
