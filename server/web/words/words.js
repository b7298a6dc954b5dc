/**
 * All texts of the page in the reader's language: `t("match.your_turn")` is a sentence, and `{name}` in a sentence
 * stands for a value.
 */
import { en } from "./en.js";

/** @typedef {keyof typeof en} Word */

/** The languages: the name of each, and its texts, which are fetched when they are first used. */
const LANGUAGES = {
  en: { name: "English", texts: async () => en },
  de: { name: "Deutsch", texts: async () => (await import("./de.js")).de },
};

/** @typedef {keyof typeof LANGUAGES} Language */

/** The languages that can be chosen, each with its name. @type {[Language, string][]} */
export const languages = Object.entries(LANGUAGES).map(([id, { name }]) => [/** @type {Language} */ (id), name]);

/** @type {Record<Word, string>} */
let words = en;

/** Sets the language of all texts: the chosen one, or else the browser's. @param {Language | null} chosen */
export async function useLanguage(chosen) {
  const known = languages.map(([language]) => language);
  const stored = known.find((it) => it === chosen);
  const language = stored ?? known.find((it) => navigator.language.startsWith(it)) ?? "en";
  words = await LANGUAGES[language].texts();
  document.documentElement.lang = language;
}

/** @type {(word: Word, values?: Record<string, string | number>) => string} */
export function t(word, values = {}) {
  return filled(words[word] ?? word, values);
}

/**
 * Returns values, such as those of a list, with their words, whose names begin with `prefix`.
 * @type {(prefix: string, values: readonly string[]) => [value: string, text: string][]}
 */
export function named(prefix, values) {
  return values.map((value) => [value, t(/** @type {Word} */ (prefix + value))]);
}

/** Null if there is no such text. @type {(word: string, values?: Record<string, string | number>) => string | null} */
export function maybe(word, values) {
  const text = /** @type {Record<string, string>} */ (words)[word];
  if (text === undefined) return null;
  return values ? filled(text, values) : text;
}

/**
 * Replaces the placeholders of a text: `{count}` by a value, `{count|coin|coins}` by the form of a word that fits it.
 * @type {(text: string, values: Record<string, string | number>) => string}
 */
function filled(text, values) {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
    const value = String(values[name] ?? "");
    return one === undefined ? value : value === "1" ? one : many;
  });
}
