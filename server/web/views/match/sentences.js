/**
 * The sentences about events and results, with "you" for the viewer and names for the others.
 *
 * @typedef {import("../../wire/followed_match.js").FollowedMatch} FollowedMatch
 * @typedef {import("../../wire/types.js").TimedEvent} TimedEvent
 * @typedef {import("../../wire/types.js").Seat} Seat
 * @typedef {import("./calls.js").Call} Call
 */
import { SHIPS } from "../../pictures/pictures.js";
import { t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";

const REASONS = new Set(["resigned", "out-of-time", "away", "abandoned"]);

/**
 * Returns the result of a finished match: a heading, and who won and why.
 * @param {FollowedMatch} followed
 * @param {boolean} misere
 */
export function result({ state, seat }, misere) {
  if (!state) return { heading: "", reason: "" };
  const won = state.winner ?? "creator";
  const [winner, loser] = [seatName(state, won), seatName(state, other(won))];
  const ship = SHIPS.has(state.game);
  const kind = REASONS.has(state.reason ?? "") ? state.reason : misere ? "misere" : ship ? "arrived" : "last_move";
  const view = !seat ? "" : seat === won ? "_won" : "_lost";
  const word = /** @type {import("../../words/words.js").Word} */ (`end.${kind}${view}`);
  return {
    heading: !seat
      ? t("end.won", { name: winner })
      : seat === won
        ? t("end.you_won")
        : t(ship ? "end.you_lost" : "end.you_lost_plain"),
    reason: t(word, { winner, loser }),
  };
}

/**
 * Returns what is said about an event, and whether it calls the viewer.
 * @param {FollowedMatch} followed
 * @param {TimedEvent} event
 * @param {boolean} misere
 * @returns {{ text: string, call: Call | null }}
 */
export function sentence(followed, event, misere) {
  const { state, seat } = followed;
  /** @type {string[]} */
  const said = [];
  /** @type {Call | null} */
  let call = null;
  if (!state) return { text: "", call };
  const name = event.seat ? seatName(state, event.seat) : "";
  const mine = event.seat !== undefined && event.seat === seat;
  if (event.event === "joined") {
    said.push(t("announce.joined", { name: seatName(state, "joiner") }));
    if (seat === "creator") call = "joined";
  }
  if (event.event === "moved" && event.move) {
    said.push(mine ? t("announce.you_moved", { move: event.move }) : t("announce.moved", { name, move: event.move }));
  }
  if (event.event === "chosen" || event.event === "choice-lapsed") {
    /** @type {Seat} */
    const first = state.first === "joiner" ? "joiner" : "creator";
    said.push(first === seat ? t("announce.you_begin") : t("announce.begins", { name: seatName(state, first) }));
  }
  if (event.event === "takeback-offered" && seat && !mine) {
    said.push(t("announce.takeback", { name }));
    call = "takeback";
  }
  if (event.event === "taken-back") said.push(t("announce.taken_back"));
  if (event.event === "takeback-declined" && !mine) said.push(t("announce.takeback_declined", { name }));
  if (event.event === "rematch-offered" && !mine) {
    said.push(t("announce.rematch", { name }));
    if (seat) call = "rematch";
  }
  if (event.event === "rematch-accepted" && !mine) {
    said.push(t("announce.rematch_ready"));
    if (seat) call = "rematch";
  }
  if (state.phase === "choosing" && state.chooser === seat) {
    said.push(t("choose.title"));
    call = "choice";
  }
  const moved = ["moved", "joined", "chosen", "choice-lapsed", "taken-back"].includes(event.event);
  if (state.phase === "playing" && state.turn === seat && moved) {
    said.push(t("announce.your_turn"));
    if (!mine) call = call === "joined" ? call : "turn";
  }
  if (state.phase === "over" && !event.event.startsWith("rematch")) {
    const { heading, reason } = result(followed, misere);
    said.push(`${heading}. ${reason}`);
    if (seat) call = "over";
  }
  return { text: said.join(" "), call };
}
