/**
 * The games of the server, fetched once.
 *
 * @import { GameInfo } from "./types.js"
 */

/** @type {Promise<GameInfo[]> | null} */
let fetched = null;

/** @returns {Promise<GameInfo[]>} */
export function catalogue() {
  fetched ??= fetch("/api/games")
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(response.statusText))))
    .catch((error) => {
      fetched = null;
      throw error;
    });
  return fetched;
}

/** Returns a game by its id. @type {(id: string) => Promise<GameInfo | undefined>} */
export async function gameInfo(id) {
  const games = await catalogue().catch(() => []);
  return games.find((game) => game.id === id);
}
