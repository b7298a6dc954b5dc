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
export async function useLanguage(language) {
  words = language === "de" ? (await import("./de.js")).de : en;
  document.documentElement.lang = language;
}

/**
 * @param {Word} word
 * @param {Record<string, string | number>} [values]
 */
export function t(word, values = {}) {
  return filled(words[word] ?? word, values);
}

/**
 * Returns a text that may be missing, such as one about a game that is newer than this page.
 * @param {string} word
 * @param {Record<string, string | number>} [values]
 * @returns {string | null}
 */
export function maybe(word, values) {
  const text = /** @type {Record<string, string>} */ (words)[word];
  if (text === undefined) return null;
  return values ? filled(text, values) : text;
}

/**
 * Replaces the placeholders of a text by values.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
function filled(text, values) {
  if (!text.includes("{")) return text;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
