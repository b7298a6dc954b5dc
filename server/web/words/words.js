/**
 * Every word of the page, in the reader's language. `t("match.your_turn")` is a sentence, `{name}` in it a place for
 * a value.
 */
import { settings } from "../wire/keep.js";
import { en } from "./en.js";

/** @typedef {keyof typeof en} Word */

/** @type {Record<Word, string>} */
let words = en;

/** Other languages are fetched only by those who read them. */
export async function speak() {
  const { language } = settings();
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
 * A word that may be missing, such as one about a game that came later than this page.
 * @param {string} word
 * @returns {string | null}
 */
export function maybe(word) {
  return /** @type {Record<string, string>} */ (words)[word] ?? null;
}
