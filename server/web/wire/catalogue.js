/** The games of the server, fetched once. */

/** The games by their ids, once they are fetched. @type {Map<string, GameInfo>} */
const known = new Map();
const games = once("/api/games");

/** Returns a way to fetch what never changes once; what failed is fetched again. @param {string} path */
export function once(path) {
  /** @type {Promise<any> | null} */
  let fetched = null;
  return () => {
    fetched ??= fetch(path).then((response) => {
      if (!response.ok) throw new Error(response.statusText);
      return response.json();
    });
    fetched.catch(() => (fetched = null));
    return fetched;
  };
}

/** @returns {Promise<GameInfo[]>} */
export async function catalogue() {
  const list = await games();
  for (const game of list) known.set(game.id, game);
  return list;
}

/** Returns what is known of a game until now. @type {(id: string) => { id: string, title?: string }} */
export function knownGame(id) {
  return known.get(id) ?? { id };
}

/** Returns the grades of a game's puzzles; none before the games are known. @type {(id: string) => string[]} */
export function gradesOf(id) {
  return known.get(id)?.grades ?? [];
}

/** Returns a game by its id. @type {(id: string) => Promise<GameInfo | undefined>} */
export async function gameInfo(id) {
  await catalogue().catch(() => {});
  return known.get(id);
}
