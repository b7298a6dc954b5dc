/** Calls of the viewer about own matches that the page does not show: whatever page is open, and after a reload. */
import { announce } from "../../dom/announce.js";
import { isEnd } from "../../wire/own_matches.js";
import { t } from "../../words/words.js";
import { opponentName, stateText } from "../match_state.js";
import { other } from "../player_names.js";
import { callPlayer } from "./calls.js";

/** @type {(connection: Connection, news: { before?: GuestMatch, now: GuestMatch }[]) => void} */
export function callElsewhere(connection, news) {
  for (const { before, now } of news) {
    const called = before && !connection.isShown(now.match) && reason(before, now, opponentName(now, connection) ?? "");
    if (!called) continue;
    const words = `${t("match.code", { code: now.code })}: ${called.text}`;
    announce(words);
    callPlayer(called.call, words, `/m/${now.code}`);
  }
}

/**
 * Returns what a change calls the viewer for; null if it waits for nobody here.
 * @type {(before: GuestMatch, now: GuestMatch, name: string) => { call: Call, text: string } | null}
 */
function reason(before, now, name) {
  const { seat, phase, rematch } = now;
  const [joins, begins] = [!!now.opponent && !before.opponent, phase !== before.phase];
  const isOffer = now.takeback !== before.takeback && now.takeback === other(seat);
  const isRematch = rematch?.state !== before.rematch?.state;
  const isTurn = turnOf(now) !== null && turnOf(now) !== turnOf(before);
  const joined = t("announce.joined", { name });
  const turn = t("announce.your_turn");
  /** @type {[boolean, Call, string][]} */
  const calls = [
    [isEnd(now) && begins, "over", stateText(now, name)],
    [isRematch && rematch?.state === "agreed", "rematch", t("announce.rematch_ready")],
    [isRematch && rematch?.state === "offered" && rematch.by !== seat, "rematch", t("announce.rematch", { name })],
    [isOffer, "takeback", t("announce.takeback", { name })],
    [phase === "choosing" && begins && now.chooser === seat, "choice", t("choose.title")],
    [isTurn && joins, "joined", `${joined} ${turn}`],
    [isTurn, "turn", turn],
    [joins, "joined", joined],
  ];
  const [, call, text] = calls.find(([applies]) => applies) ?? [];
  return call && text ? { call, text } : null;
}

/** Returns the number of the ply that the viewer is to play; null if it is not their turn. @param {GuestMatch} match */
function turnOf({ phase, turn, seat, plies }) {
  return phase === "playing" && turn === seat ? plies : null;
}
