/**
 * The two clocks. The server alone measures; between its frames this file only counts down what it said, so that a look
 * is never wrong by more than the line's delay.
 *
 * @typedef {import("../match.js").Table} Table
 * @typedef {import("../../wire/types.js").Seat} Seat
 */
import { announce } from "../../dom/announce.js";
import { h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { amount } from "../durations.js";

/** Below this, in milliseconds, a clock shows tenths and is marked as short. */
const SHORT_MS = 20_000;
/** What is left when a player is told of it, in milliseconds. */
const TOLD_MS = [60_000, 10_000];
/** How often the hand moves, in milliseconds. */
const TICK_MS = 1_000;
const SHORT_TICK_MS = 100;

export function clocks() {
  const faces = { creator: face(), joiner: face() };
  /** @type {Table | null} */
  let table = null;
  let timer = 0;
  /** What was left when it was last looked at, while the viewer's own clock runs; 0 while it does not. */
  let told = 0;

  function face() {
    return h("span.clock", { role: "timer", "aria-live": "off" });
  }

  /**
   * What a seat has left now, in milliseconds; none without a clock.
   * @param {Table} at
   * @param {Seat} seat
   */
  function left({ state, page }, seat) {
    const { clocks } = state;
    const ms = clocks?.[`${seat}_ms`];
    if (!clocks || ms === undefined) return initial(state, seat);
    const runs = state.phase === "playing" && state.turn === seat;
    return Math.max(0, runs ? ms - Math.max(0, page.line.now() - clocks.since) : ms);
  }

  function show() {
    clearTimeout(timer);
    if (!table) return;
    const { state, follow } = table;
    let next = 0;
    for (const seat of /** @type {const} */ (["creator", "joiner"])) {
      const ms = left(table, seat);
      const face = faces[seat];
      face.hidden = ms === null;
      if (ms === null) continue;
      const runs = state.phase === "playing" && state.turn === seat && !!state.clocks;
      const short = ms < SHORT_MS && state.phase === "playing";
      const text = amount(ms, short && runs);
      if (face.textContent !== text) face.textContent = text;
      face.classList.toggle("runs", runs);
      face.classList.toggle("short", short);
      face.setAttribute("aria-label", t(runs ? "clock.runs" : "clock.stands", { time: amount(ms) }));
      if (runs && ms > 0) next = short ? SHORT_TICK_MS : Math.min(TICK_MS, (ms % TICK_MS) + 1);
      if (runs && seat === follow.seat) tell(ms);
      else if (seat === follow.seat) told = 0;
    }
    if (next) timer = setTimeout(show, next);
  }

  /**
   * Tells of a mark when it is passed in sight, not of one that was passed before.
   * @param {number} ms
   */
  function tell(ms) {
    const mark = TOLD_MS.find((mark) => ms <= mark && mark < told);
    if (mark !== undefined) announce(t("clock.left", { time: amount(mark) }), true);
    told = ms;
  }

  return {
    /** @param {Seat} seat */
    face: (seat) => faces[seat],
    /** @param {Table} next */
    update(next) {
      table = next;
      show();
    },
    leave() {
      clearTimeout(timer);
      table = null;
    },
  };
}

/**
 * What a clock will begin with; none for a bot, and in a match without clocks.
 * @param {import("../../wire/types.js").State} state
 * @param {Seat} seat
 */
function initial({ time, players }, seat) {
  if (!time || time === "none" || players[seat]?.kind === "bot") return null;
  return "match" in time ? time.match.initial_ms : time.move.each_ms;
}
