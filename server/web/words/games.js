/** The titles and rules of games in the reader's language, or as the server gives them. */
import { maybe } from "./words.js";

/** @param {{ id: string, title?: string }} game */
export function title(game) {
  return maybe(`game.${game.id}.title`) ?? game.title ?? game.id;
}

/** Translates a sentence of `how_to_play`. @param {string} sentence */
export function how(sentence) {
  return maybe(sentence) ?? sentence;
}

/** Returns the rules of a game in short. @param {GameInfo} game */
export function rules({ how_to_play: { moves, goal } }) {
  return [...moves.map(({ sentence }) => sentence), goal].map(how).join(" ");
}
