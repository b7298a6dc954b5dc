/** What an own match is at, in words, and whether it waits for the viewer. */
import { maybe, t } from "../words/words.js";
import { timeLeft } from "./durations.js";
import { playerName } from "./player_names.js";

/** Returns whether a match waits for the viewer, who has to act in it. @param {GuestMatch} one */
export function waitsForViewer({ phase, seat, turn, chooser, takeback }) {
  if (phase === "choosing") return chooser === seat;
  return phase === "playing" && (turn === seat || (!!takeback && takeback !== seat));
}

/**
 * Returns the time that the player to move has left now, in milliseconds; `null` if it is unlimited. Before a player's
 * first move it is the time for that move.
 * @type {(state: Timed, now: number) => number | null}
 */
export function leftToMove(state, now) {
  const { first_move_until: until, phase, turn } = state;
  if (phase !== "playing" || !turn) return null;
  return until ? Math.max(0, until - now) : timeLeft(state, turn, now);
}

/**
 * Returns the opponent's name, or null without an opponent. Of two names that were drawn, the joiner's gives way.
 * @type {(one: GuestMatch, connection: Connection) => string | null}
 */
export function opponentName({ opponent, seat }, { guest, name }) {
  const self = seat === "creator" ? playerName({ kind: "human", guest, name }) : "";
  return opponent ? playerName(opponent, self) : null;
}

/** Returns what a match waits for, or how it ended. @type {(one: GuestMatch, opponent: string) => string} */
export function stateText({ phase, seat, turn, chooser, takeback, winner, reason, rematch }, name) {
  switch (phase) {
    case "open":
      return t("own.waits");
    case "choosing":
      return chooser === seat ? t("choose.title") : t("choose.other", { name });
    case "playing":
      if (takeback && takeback !== seat) return t("takeback.wanted", { name });
      return turn === seat ? t("match.your_turn") : t("match.their_turn", { name });
    case "closed":
      return maybe(`match.${reason}`) ?? "";
    default: {
      const result = winner === seat ? t("end.you_won") : t("end.you_lost_plain");
      const why = maybe(`own.because_${reason}`);
      const offered = rematch?.state === "offered" && rematch.by !== seat;
      const end = why ? `${result} (${why})` : result;
      return offered ? `${end} · ${t("announce.rematch", { name })}` : end;
    }
  }
}

/** Returns the same with the opponent's name, for a place where nothing else has it. @type {typeof stateText} */
export function lineText(one, name) {
  const { phase, seat, turn, takeback, winner, reason } = one;
  if (phase === "closed") return t("live.closed", { name });
  if (phase === "over") {
    const line = t(winner === seat ? "live.won" : "live.lost", { name });
    const why = maybe(`own.because_${reason}`);
    return why ? `${line} (${why})` : line;
  }
  const isOwnMove = phase === "playing" && turn === seat && (!takeback || takeback === seat);
  return isOwnMove ? t("live.your_turn", { name }) : stateText(one, name);
}
