/** English, the language that every other one is held against. */
import { games } from "./en/games.js";
import { match } from "./en/match.js";
import { refused } from "./en/refused.js";
import { start } from "./en/start.js";

export const en = { ...start, ...match, ...games, ...refused };
