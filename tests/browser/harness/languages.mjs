/**
 * A search for English sentences on a page that is in German.
 */
import { de as main } from "../../../server/web/words/de.js";
import { learn as lernen } from "../../../server/web/words/de/learn.js";
import { analysis } from "../../../server/web/words/en/analysis.js";
import { en as words } from "../../../server/web/words/en.js";
import { learn } from "../../../server/web/words/en/learn.js";

/** All texts of the page in both languages, also those that are loaded later. */
export const [en, de] = [
  { ...words, ...analysis, ...learn },
  { ...main, ...lernen },
];

/** @type {Record<string, string>} */
const GERMAN = de;
/** The sentences of "how to play", which are their own keys. */
const TOLD = Object.keys(de).filter((word) => !(word in en) && !word.startsWith("game."));
/** A placeholder, also one for the form of a word. */
const HOLE = /\{\w+(?:\|[^}]*)?\}/g;
/** Texts of placeholders and signs alone fit everything, and names are the same in both languages. */
const LETTERS = /\p{L}{3,}/u;

/** The English texts that are different in German, as the sources of expressions. */
const ENGLISH = [...Object.entries(en), ...TOLD.map((text) => [text, text])]
  .flatMap(([word, text]) => text.split(" | ").map((part, at) => [word, part, GERMAN[word]?.split(" | ")[at]]))
  .filter(([, text, german]) => text.toLowerCase() !== german?.toLowerCase() && LETTERS.test(text.replace(HOLE, "")))
  .map(([, text]) =>
    text
      .split(HOLE)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".+"),
  );
/** A word that is in both languages, such as the name of a tank, may be another text's value. */
const IN_GERMAN = new Set(Object.values(GERMAN).map((text) => text.toLowerCase()));

/**
 * The texts of a page, also those of attributes that are shown or read out, that are one of the page's English texts.
 * @param {Pick<import("playwright-core").Page, "evaluate">} page
 * @returns {Promise<string[]>}
 */
export async function english(page) {
  const texts = await page.evaluate(() => {
    const shown = new Set([document.title]);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!(node instanceof Element)) shown.add(node.textContent ?? "");
      else for (const name of ["aria-label", "title", "placeholder", "alt"]) shown.add(node.getAttribute(name) ?? "");
    }
    return [...shown].map((text) => text.trim()).filter(Boolean);
  });
  const one = new RegExp(`^(?:${ENGLISH.join("|")})$`, "u");
  return texts.filter((text) => one.test(text) && !IN_GERMAN.has(text.toLowerCase()));
}
