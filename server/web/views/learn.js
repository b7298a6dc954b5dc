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

const VIEWS = { analyse, lesson, map, puzzle, record, today };

/** @typedef {keyof typeof VIEWS} Name */

/** Returns a view, once its texts and its style are there. @param {Name} name */
export async function load(name) {
  await Promise.all([useWords("analysis", "learn"), lateStyles()]);
  return VIEWS[name];
}
