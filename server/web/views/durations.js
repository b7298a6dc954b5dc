/** Times and time controls as text. */
import { t } from "../words/words.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formats the time left: `4:05`, `1:02:03`, `2 d 3 h`, and with tenths `9.4`. Rounded up, so that 0 means that no
 * time is left.
 * @type {(ms: number, tenths?: boolean) => string}
 */
export function amount(ms, tenths = false) {
  if (tenths) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / SECOND);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days) return t("time.days", { days, hours });
  if (hours) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** Formats a duration in the largest unit that divides it: `30 s`, `5 min`, `1 d`. @param {number} ms */
function duration(ms) {
  if (ms && ms % DAY === 0) return t("time.d", { count: ms / DAY });
  if (ms && ms % HOUR === 0) return t("time.h", { count: ms / HOUR });
  if (ms && ms % MINUTE === 0) return t("time.min", { count: ms / MINUTE });
  return t("time.s", { count: ms / SECOND });
}

/**
 * Formats a time control; an empty text if there is none.
 * @param {import("../wire/types.js").TimeControl | undefined} time
 */
export function control(time) {
  if (!time || time === "none") return "";
  if ("move" in time) return t("time.each", { time: duration(time.move.each_ms) });
  const { initial_ms: initialMs, increment_ms: incrementMs = 0 } = time.match;
  return incrementMs
    ? t("time.whole_more", { time: duration(initialMs), more: duration(incrementMs) })
    : duration(initialMs);
}
