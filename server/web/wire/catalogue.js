/**
 * The games there are, as the server describes them, with words of the reader's language where there are some.
 *
 * @typedef {import("./types.js").GameAbout} GameAbout
 */
import { maybe } from "../words/words.js";

/** @type {Promise<GameAbout[]> | null} */
let asked = null;

/** @returns {Promise<GameAbout[]>} */
export function catalogue() {
  asked ??= fetch("/api/games")
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText))))
    .catch((why) => {
      asked = null;
      throw why;
    });
  return asked;
}

/**
 * @param {string} id
 * @returns {Promise<GameAbout | undefined>}
 */
export async function about(id) {
  const games = await catalogue().catch(() => []);
  return games.find((game) => game.id === id);
}

/** @param {{ id: string, title?: string }} game */
export function title(game) {
  return maybe(`game.${game.id}.title`) ?? game.title ?? game.id;
}

/** @param {GameAbout} game */
export function rules(game) {
  return maybe(`game.${game.id}.rules`) ?? game.rules;
}
