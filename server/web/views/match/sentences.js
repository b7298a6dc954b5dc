/** The sentences about events and results, with "you" for the viewer and names for the others. */
import { SHIPS } from "../../pictures/pictures.js";
import { done } from "../../words/moves.js";
import { maybe, t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";

const REASONS = new Set(["resigned", "out-of-time", "away", "abandoned"]);

/** @type {(followed: FollowedMatch, misere: boolean) => { heading: string; reason: string; }} */
export function result({ state, seat }, misere) {
  if (!state) return { heading: "", reason: "" };
  const won = state.winner ?? "creator";
  const [winner, loser] = [seatName(state, won), seatName(state, other(won))];
  const ship = SHIPS.has(state.game);
  const kind = REASONS.has(state.reason ?? "") ? state.reason : misere ? "misere" : ship ? "arrived" : "last_move";
  const view = !seat ? "" : seat === won ? "_won" : "_lost";
  const word = /** @type {Word} */ (`end.${kind}${view}`);
  return {
    heading: !seat
      ? t("end.won", { name: winner })
      : seat === won
        ? t("end.you_won")
        : t(ship ? "end.you_lost" : "end.you_lost_plain"),
    reason: t(word, { winner, loser }),
  };
}

/** Returns how a match ended, also without a winner. @type {(followed: FollowedMatch, misere: boolean) => string} */
function endText(followed, misere) {
  const { state, stopped } = followed;
  if (state?.phase === "closed") return `${maybe(`match.${state.reason}`) ?? ""} ${stopped}`.trim();
  const { heading, reason } = result(followed, misere);
  return `${heading}. ${reason}`;
}

/**
 * Returns what the ship's computer says at a moment, each time something else; nothing where there is no ship.
 * @type {(moment: "start" | "blunder", view: { followed: FollowedMatch }) => string}
 */
export function story(moment, { followed: { state, code, plies } }) {
  if (!state || !SHIPS.has(state.game)) return "";
  const lines = t(`story.${moment}`).split(" | ");
  return lines[(code.charCodeAt(0) + plies.length) % lines.length];
}

/** Such as "Grace flew to a5.". @type {(followed: FollowedMatch, ply: number) => string} */
export function moveSentence(followed, ply) {
  const { seat, state, plies } = followed;
  const made = plies[ply - 1];
  if (!state || !made) return "";
  const move = done(made.move, followed.position(ply - 1));
  if (made.seat === seat) return t("announce.you_moved", { move });
  return t("announce.moved", { name: seatName(state, made.seat), move });
}

/** @type {(followed: FollowedMatch, state: State, event: TimedEvent, mine: boolean) => string | null} */
function told(followed, state, { event, seat: by }, mine) {
  const { seat } = followed;
  const name = by ? seatName(state, by) : "";
  switch (event) {
    case "joined":
      return t("announce.joined", { name: seatName(state, "joiner") });
    case "moved":
      return moveSentence(followed, followed.plies.length);
    case "chosen":
    case "choice-lapsed": {
      const first = state.first === "joiner" ? "joiner" : "creator";
      return first === seat ? t("announce.you_begin") : t("announce.begins", { name: seatName(state, first) });
    }
    case "taken-back":
      return t("announce.taken_back");
    // It waits for the other player alone.
    case "takeback-offered":
      if (!seat) return null;
  }
  const [word] = DEEDS[event] ?? [];
  return word && !mine ? t(word, { name }) : null;
}

/** What the other player does besides moving: what is said of it, and what it calls for. */
const DEEDS = /** @type {Record<string, [Word, Call?]>} */ ({
  "takeback-offered": ["announce.takeback", "takeback"],
  "takeback-declined": ["announce.takeback_declined"],
  "rematch-offered": ["announce.rematch", "rematch"],
  "rematch-accepted": ["announce.rematch_ready", "rematch"],
});
/** The events after which another player may be to move. */
const TURNING = ["moved", "joined", "chosen", "choice-lapsed", "taken-back"];

/** @type {(followed: FollowedMatch, event: TimedEvent, misere: boolean) => { text: string, call: Call | null }} */
export function sentence(followed, event, misere) {
  const { state, seat } = followed;
  if (!state) return { text: "", call: null };
  const mine = event.seat !== undefined && event.seat === seat;
  const said = [told(followed, state, event, mine)];
  /** @type {Call | null} */
  let call = seat && !mine ? (DEEDS[event.event]?.[1] ?? null) : null;
  if (event.event === "joined" && seat === "creator") call = "joined";
  if (state.phase === "choosing" && state.chooser === seat) {
    said.push(t("choose.title"));
    call = "choice";
  }
  if (state.phase === "playing" && state.turn === seat && TURNING.includes(event.event)) {
    said.push(t("announce.your_turn"));
    if (!mine) call ??= "turn";
  }
  if (["over", "closed"].includes(state.phase) && !event.event.startsWith("rematch")) {
    said.push(endText(followed, misere));
    if (seat) call = "over";
  }
  return { text: said.filter(Boolean).join(" "), call };
}
