/** The terms of a match that its creator chooses: who moves first, and the clock. */
import { choice } from "../dom/build.js";
import { named, t } from "../words/words.js";
import { control } from "./durations.js";

const FIRST = ["random", "me", "other", "choose"];
/** @type {TimeControl[]} */
const TIMES = [
  "none",
  { match: { initial_ms: 60_000, increment_ms: 2_000 } },
  { match: { initial_ms: 300_000, increment_ms: 3_000 } },
  { match: { initial_ms: 900_000, increment_ms: 10_000 } },
  { move: { each_ms: 30_000 } },
  { move: { each_ms: 86_400_000 } },
];

/** The lists of both, whose ids begin with `name`. @param {string} name @param {Record<string, any>} [chosen] */
export function terms(name, chosen = {}) {
  const times = TIMES.map((time) => /** @type {const} */ ([JSON.stringify(time), control(time) || t("time.none")]));
  return {
    first: choice(`${name}-first`, t("home.first"), named("home.first_", FIRST), chosen.first),
    time: choice(`${name}-time`, t("home.time"), times, JSON.stringify(chosen.time ?? TIMES[0])),
  };
}
