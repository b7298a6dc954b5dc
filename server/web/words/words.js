/**
 * All texts of the page in the reader's language: `t("match.your_turn")` is a sentence, and `{name}` in a sentence
 * stands for a value.
 */
import { en } from "./en.js";

/** @typedef {keyof typeof en} Word */

/** @type {Record<Word, string>} */
let words = en;

/**
 * Sets the language of all texts. A language other than English is fetched when it is first used.
 * @param {"en" | "de"} language
 */
export async function use_language(language) {
  words = language === "de" ? (await import("./de.js")).de : en;
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
 * Returns a text that may be missing, such as one about a game that is newer than this page.
 * @param {string} word
 * @returns {string | null}
 */
export function maybe(word) {
  return /** @type {Record<string, string>} */ (words)[word] ?? null;
}
