/**
 * The pages for learning: lessons, puzzles, the flight of the day, the analysis board and the guest's record. Their
 * texts and their style sheet are loaded with them, when one of them is first opened.
 */
import { lateStyles } from "../dom/late_styles.js";
import { useWords } from "../words/words.js";
import { analyse } from "./learn/analyse.js";
import { lesson } from "./learn/lesson.js";
import { map } from "./learn/map.js";
import { puzzle } from "./learn/puzzle.js";
import { record } from "./learn/record.js";
import { today } from "./learn/today.js";

/** The addresses, and what is shown at each. @type {[RegExp, (page: Page, ...parts: string[]) => View][]} */
const PAGES = [
  [/^\/learn\/record/, record],
  [/^\/learn\/([a-z0-9-]+)/, lesson],
  [/^\/learn/, map],
  [/^\/puzzle\/([a-z0-9-]+)\/([a-z0-9-]+)\/(\d+)/, puzzle],
  [/^\/today/, today],
  [/^\/analyse/, analyse],
];

/** Returns the view of the address, once its texts and its style are there. */
export async function load() {
  await Promise.all([useWords("analysis", "learn"), lateStyles()]);
  return show;
}

/** @param {Page} page */
function show(page) {
  for (const [address, make] of PAGES) {
    const parts = address.exec(location.pathname);
    if (parts) return make(page, ...parts.slice(1));
  }
  return map(page);
}
