/**
 * The one sentence that a review comes to: who had the win, and where it went.
 *
 * @import { ShownMatch } from "../match.js"
 * @import { Word } from "../../words/words.js"
 */
import { done, naming } from "../../words/moves.js";
import { t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";

/** Returns "once", "twice" or "3 times". @param {number} count */
function times(count) {
  return t(count === 1 ? "recorder.once" : count === 2 ? "recorder.twice" : "recorder.times", { count });
}

/**
 * Returns what was done at a turning point, and what would have won.
 * @type {(view: ShownMatch, ply: number) => { done: string, better: string }}
 */
export function turn({ review }, ply) {
  const before = review.plies[ply - 1].position;
  const { move = "", better } = review.plies[ply];
  const wins = better ? naming(better, before) : "";
  return { done: done(move, before), better: wins };
}

/** @param {ShownMatch} view */
export function verdict(view) {
  const { review, state, followed } = view;
  const { winner } = state;
  const last = review.plies.length - 1;
  if (review.awaited || !winner || last < 1) return "";
  const loser = other(winner);
  const { seat } = followed;
  /** The words differ for the winner, the loser and everybody else. */
  const say = (/** @type {string} */ about, /** @type {object} */ values = {}) => {
    const name = seatName(state, seat ? other(seat) : winner);
    const given = { name, loser: seatName(state, loser), ...values };
    return t(/** @type {Word} */ (`recorder.${!seat ? "watch" : seat === winner ? "won" : "lost"}_${about}`), given);
  };
  if (review.plies.some((_, ply) => review.winner(ply) === null)) return t("recorder.unknown");
  if (review.winner(last) === loser) return say("still");
  const [given, kept] = [review.turningPoints(loser), review.turningPoints(winner)];
  const ply = given.at(-1);
  if (ply === undefined) return say("all");
  if (seat === winner && kept.length) return say("back", { times: times(kept.length) });
  const at = turn(view, ply);
  return say(at.better || seat === winner ? "turn" : "turn_plain", { ply, ...at });
}
