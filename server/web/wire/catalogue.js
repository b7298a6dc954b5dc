/**
 * The games of the server, fetched once.
 *
 * @import { GameInfo } from "./types.js"
 */

/** @type {Promise<GameInfo[]> | null} */
let fetched = null;
/** The games by their ids, once they are fetched. @type {Map<string, GameInfo>} */
const known = new Map();

export function catalogue() {
  fetched ??= fetch("/api/games")
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(response.statusText))))
    .then((/** @type {GameInfo[]} */ games) => {
      for (const game of games) known.set(game.id, game);
      return games;
    })
    .catch((error) => {
      fetched = null;
      throw error;
    });
  return fetched;
}

/** Returns what is known of a game until now. @type {(id: string) => { id: string, title?: string }} */
export function knownGame(id) {
  return known.get(id) ?? { id };
}

/** Returns a game by its id. @type {(id: string) => Promise<GameInfo | undefined>} */
export async function gameInfo(id) {
  await catalogue().catch(() => {});
  return known.get(id);
}
