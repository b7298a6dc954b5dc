/** All texts of the page in the reader's language; `{name}` in a sentence stands for a value. */
import { en } from "./en.js";

/**
 * @typedef {keyof typeof en | keyof typeof import("./en/analysis.js").analysis |
 *   keyof typeof import("./en/learn.js").learn} Word
 */

/** The languages: the name of each, its texts, and those of parts of the page, fetched when they are first used. */
const LANGUAGES = {
  en: {
    name: "English",
    texts: async () => en,
    analysis: async () => (await import("./en/analysis.js")).analysis,
    learn: async () => (await import("./en/learn.js")).learn,
  },
  de: {
    name: "Deutsch",
    texts: async () => (await import("./de.js")).de,
    analysis: async () => ({}),
    learn: async () => (await import("./de/learn.js")).learn,
  },
};

/** @typedef {keyof typeof LANGUAGES} Language */

/** The languages that can be chosen, each with its name. @type {[Language, string][]} */
export const languages = Object.entries(LANGUAGES).map(([id, { name }]) => [/** @type {Language} */ (id), name]);

/** @type {Record<string, string>} */
let words = en;
/** @type {Language} */
let spoken = "en";

/** Sets the language of all texts: the chosen one, or else the browser's. @param {Language | null} chosen */
export async function useLanguage(chosen) {
  const known = languages.map(([language]) => language);
  const stored = known.find((it) => it === chosen);
  const language = stored ?? known.find((it) => navigator.language.startsWith(it)) ?? "en";
  words = await LANGUAGES[language].texts();
  spoken = language;
  document.documentElement.lang = language;
}

/** Adds the texts of parts of the page. @param {...("analysis" | "learn")} parts */
export async function useWords(...parts) {
  const added = await Promise.all(parts.map((part) => LANGUAGES[spoken][part]()));
  words = Object.assign({}, words, ...added);
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
  const text = words[word];
  if (text === undefined) return null;
  return values ? filled(text, values) : text;
}

/** The kinds of plurals. The forms of a word stand in this order, as many as the language has. */
const PLURALS = /** @type {const} */ (["zero", "one", "two", "few", "many", "other"]);

/**
 * Replaces the placeholders of a text: `{count}` by a value, `{count|coin|coins}` by the form of a word that fits it.
 * @type {(text: string, values: Record<string, string | number>) => string}
 */
function filled(text, values) {
  return text.replace(/\{(\w+)(?:\|([^}]*))?\}/g, (_, name, forms) => {
    const value = String(values[name] ?? "");
    if (forms === undefined) return value;
    const rules = new Intl.PluralRules(spoken);
    const { pluralCategories } = rules.resolvedOptions();
    const own = PLURALS.filter((plural) => pluralCategories.includes(plural));
    return forms.split("|")[own.indexOf(rules.select(Number(value)))];
  });
}
