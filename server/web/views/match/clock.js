/**
 * The two clocks. Only the server measures time; between frames this module counts down from the server's last
 * values, so that the display is wrong by no more than the network delay.
 *
 * @import { Seat, State } from "../../wire/types.js"
 * @import { ShownMatch } from "../match.js"
 */
import { announce } from "../../dom/announce.js";
import { h, say } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { amount, timeLeft } from "../durations.js";

/** The time left, in milliseconds, below which a clock shows tenths and is highlighted. */
const SHORT_MS = 20_000;
/** The times left, in milliseconds, that are announced to the player. */
const ANNOUNCED_MS = [60_000, 10_000];
/** The interval of updates, in milliseconds. */
const TICK_MS = 1_000;
const SHORT_TICK_MS = 100;

/** @param {ShownMatch} view */
export function clocks(view) {
  const face = () => h("span.clock", { role: "timer", "aria-live": "off" });
  const faces = { creator: face(), joiner: face() };
  let timer = 0;
  /** The time left at the last update while the viewer's own clock runs; otherwise 0. */
  let lastLeft = 0;

  function show() {
    clearTimeout(timer);
    const { state, followed, page } = view;
    let next = 0;
    for (const seat of /** @type {const} */ (["creator", "joiner"])) {
      const ms = timeLeft(state, seat, page.connection.now()) ?? initial(state, seat);
      const face = faces[seat];
      face.hidden = ms === null;
      if (ms === null) continue;
      const runs = state.phase === "playing" && state.turn === seat && !!state.clocks;
      const short = ms < SHORT_MS && state.phase === "playing";
      const text = amount(ms, short && runs);
      say(face, text);
      face.classList.toggle("runs", runs);
      face.classList.toggle("short", short);
      face.setAttribute("aria-label", t(runs ? "clock.runs" : "clock.stands", { time: amount(ms) }));
      if (runs && ms > 0) next = short ? SHORT_TICK_MS : Math.min(TICK_MS, (ms % TICK_MS) + 1);
      if (runs && seat === followed.seat) announceLeft(ms);
      else if (seat === followed.seat) lastLeft = 0;
    }
    if (next) timer = setTimeout(show, next);
  }

  /** Announces a mark when the time passes it while the page is open. @param {number} ms */
  function announceLeft(ms) {
    const mark = ANNOUNCED_MS.find((mark) => ms <= mark && mark < lastLeft);
    if (mark !== undefined) announce(t("clock.left", { time: amount(mark) }), true);
    lastLeft = ms;
  }

  return {
    /** @param {Seat} seat */
    face: (seat) => faces[seat],
    update: show,
    leave: () => clearTimeout(timer),
  };
}

/** Returns null for a bot and without clocks. @type {(state: State, seat: Seat) => number | null} */
function initial({ time, players }, seat) {
  if (!time || time === "none" || players[seat]?.kind === "bot") return null;
  return "match" in time ? time.match.initial_ms : time.move.each_ms;
}
