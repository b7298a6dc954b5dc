/** Times and time controls as text, and the time that is left. */
import { t } from "../words/words.js";

/** The units of durations in milliseconds, the largest first. */
const UNITS = /** @type {const} */ ([
  ["time.d", 86_400_000],
  ["time.h", 3_600_000],
  ["time.min", 60_000],
  ["time.s", 1_000],
]);

/**
 * Formats the time left: `4:05`, `1:02:03`, `2 d 3 h`, and with tenths `9.4`. Rounded up, so that 0 means that no
 * time is left.
 * @type {(ms: number, tenths?: boolean) => string}
 */
export function amount(ms, tenths = false) {
  if (tenths) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1_000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (hours >= 24) return t("time.days", { days: Math.floor(hours / 24), hours: hours % 24 });
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Formats a duration in the largest unit that divides it: `30 s`, `5 min`, `1 d`. @param {number} ms */
function duration(ms) {
  const [word, unit] = UNITS.find(([, unit]) => ms >= unit && ms % unit === 0) ?? UNITS[3];
  return t(word, { count: ms / unit });
}

/** Returns an empty text for none. @param {TimeControl | undefined} time */
export function control(time) {
  if (!time || time === "none") return "";
  if ("move" in time) return t("time.each", { time: duration(time.move.each_ms) });
  const { initial_ms: initialMs, increment_ms: incrementMs = 0 } = time.match;
  return incrementMs
    ? t("time.whole_more", { time: duration(initialMs), more: duration(incrementMs) })
    : duration(initialMs);
}

/** Returns whether a seat's clock runs. @type {(state: Timed, seat: Seat) => boolean} */
export function clockRuns({ clocks, first_move_until: until, phase, turn }, seat) {
  return phase === "playing" && turn === seat && !!clocks && !until;
}

/**
 * Returns the time on a seat's clock, in milliseconds; `null` if the state has none for it.
 * @type {(state: Timed, seat: Seat, now: number) => number | null}
 */
export function timeLeft(state, seat, now) {
  const { clocks } = state;
  const ms = clocks?.[`${seat}_ms`];
  if (!clocks || ms === undefined) return null;
  return Math.max(0, clockRuns(state, seat) ? ms - Math.max(0, now - clocks.since) : ms);
}
