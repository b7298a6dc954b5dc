/**
 * Every word of the page, in the reader's language. `t("match.your_turn")` is a sentence, `{name}` in it a place for a value.
 */
import { settings } from "../wire/keep.js";
import { de } from "./de.js";
import { en } from "./en.js";

/** @typedef {keyof typeof en} Word */

export const LANGUAGES = { en, de };

/** @type {Record<Word, string>} */
let words = en;

export function speak() {
  const { language } = settings();
  words = LANGUAGES[language] ?? en;
  document.documentElement.lang = language;
}

/**
 * @param {Word} word
 * @param {Record<string, string | number>} [values]
 */
export function t(word, values = {}) {
  return (words[word] ?? word).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * A word that may be missing, such as one about a game that came later than this page.
 * @param {string} word
 * @returns {string | null}
 */
export function maybe(word) {
  return /** @type {Record<string, string>} */ (words)[word] ?? null;
}
