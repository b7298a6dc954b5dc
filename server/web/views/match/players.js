/**
 * The two seats, whose turn it is, who is connected and who watches.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { called, other } from "../people.js";

export function players() {
  const seats = h("div.seats");
  const turn = h("p.turn");
  const watchers = h("p.watchers");
  const element = h("div.players", null, seats, turn, watchers);

  /** @param {Table} table */
  function update({ state, follow, live, ply, look, page }) {
    const first = follow.seat ?? state.begins;
    fill(seats, ...[first, other(first)].map((seat) => card(seat)));
    fill(turn, ...banner());
    turn.classList.toggle("yours", live && state.phase === "playing" && state.turn === follow.seat);
    fill(watchers, follow.spectators > 0 ? t("match.watchers", { count: follow.spectators }) : "");

    /** @param {import("../../wire/types.js").Seat} seat */
    function card(seat) {
      const player = state.players[seat];
      const here = follow.connected.has(seat) && page.line.open;
      const moves = state.phase === "playing" && state.turn === seat;
      const won = state.phase === "over" && state.winner === seat;
      const lost = state.phase === "over" && state.winner !== seat;
      return h(
        `div.seat${moves ? ".on-turn" : ""}${won ? ".won" : ""}${lost ? ".erased" : ""}${player ? "" : ".free"}`,
        null,
        h(`span.dot${here ? ".here" : ""}`, player ? { role: "img", "aria-label": here ? t("player.here") : t("player.away"), title: here ? t("player.here") : t("player.away") } : { "aria-hidden": "true" }),
        h("span.seat-name", null, called(player)),
        seat === follow.seat ? h("span.you", null, t("player.you")) : null,
        moves ? h("span.to-move", null, t("player.to_move")) : null,
      );
    }

    function banner() {
      if (!live) {
        return [t("match.past", { ply, plies: follow.plies.length }), h("button.small", { type: "button", onclick: () => look(follow.plies.length) }, t("match.live"))];
      }
      if (state.phase !== "playing" || !state.turn) return [];
      return [state.turn === follow.seat ? t("match.your_turn") : t("match.their_turn", { name: called(state.players[state.turn]) })];
    }
  }
  return { element, update };
}
