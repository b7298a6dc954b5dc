/** English, the language that every other one is held against. */
import { match } from "./en/match.js";
import { moves } from "./en/moves.js";
import { pictures } from "./en/pictures.js";
import { refused } from "./en/refused.js";
import { start } from "./en/start.js";

export const en = { ...start, ...match, ...moves, ...refused, ...pictures };
