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

/** @type {(word: Word, values?: Record<string, string | number>) => string} */
export function t(word, values = {}) {
  return filled(words[word] ?? word, values);
}

/**
 * Returns a text that may be missing, such as one about a game that is newer than this page.
 * @type {(word: string, values?: Record<string, string | number>) => string | null}
 */
export function maybe(word, values) {
  const text = /** @type {Record<string, string>} */ (words)[word];
  if (text === undefined) return null;
  return values ? filled(text, values) : text;
}

/**
 * Replaces the placeholders of a text by values.
 * @type {(text: string, values: Record<string, string | number>) => string}
 */
function filled(text, values) {
  if (!text.includes("{")) return text;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
