/** German. Games are described here too; in English their own descriptions from the server are used. */
import { analysis } from "./de/analysis.js";
import { games } from "./de/games.js";
import { match } from "./de/match.js";
import { refused } from "./de/refused.js";
import { start } from "./de/start.js";

/** @type {Record<keyof typeof import("./en.js").en, string> & Record<string, string>} */
export const de = { ...start, ...match, ...games, ...analysis, ...refused };
