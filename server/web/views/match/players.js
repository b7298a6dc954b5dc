/**
 * The two seats: names, connection states, clocks and the turn.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { changes, fill, h } from "../../dom/build.js";
import { portrait } from "../../pictures/portraits.js";
import { maybe, t } from "../../words/words.js";
import { clocksWait } from "../durations.js";
import { levelName, other, seatName } from "../player_names.js";
import { clocks } from "./clock.js";

/** @param {ShownMatch} view */
export function players(view) {
  const seats = h("div.seats");
  const turn = h("p.turn.row");
  const element = h("div.players", seats, turn);
  const time = clocks(view);
  const isOther = changes();

  function update() {
    const { state, followed, live, ply, look, page } = view;
    const first = followed.seat ?? (state.first === "joiner" ? "joiner" : "creator");
    time.update();
    const { players, phase, winner, clocks } = state;
    const seen = [followed.seat, first, ...followed.connected, page.connection.open];
    const past = live || [ply, followed.plies.length, !!view.trial];
    if (!isOther(players, phase, state.turn, winner, !clocks, seen, past)) return;
    fill(seats, ...[first, other(first)].map((seat) => card(seat)));
    fill(turn, ...banner());
    turn.classList.toggle("yours", live && state.phase === "playing" && state.turn === followed.seat);

    /** @param {import("../../wire/types.js").Seat} seat */
    function card(seat) {
      const player = state.players[seat];
      const here = followed.connected.has(seat) && page.connection.open;
      const moves = state.phase === "playing" && state.turn === seat;
      const won = state.phase === "over" && state.winner === seat;
      const lost = state.phase === "over" && state.winner !== seat;
      const mine = seat === followed.seat;
      const presence = t(here ? "player.here" : "player.away");
      const meaning = player ? { role: "img", "aria-label": presence, title: presence } : { "aria-hidden": "true" };
      const title = seatName(state, seat);
      return h(
        `div.seat.${seat}${moves ? ".on-turn" : ""}${won ? ".won" : ""}${lost ? ".lost" : ""}${player ? "" : ".free"}`,
        h(`span.dot${here ? ".here" : ""}`, meaning),
        player?.kind === "bot" && portrait(player.level),
        h(`span.seat-name.${seat}`, { title }, title),
        h("span.seat-note", ...notes()),
        time.face(seat),
      );

      /** Returns the notes about a seat in one line. */
      function notes() {
        const words = [];
        if (mine) words.push(h("span.you", t("player.you")));
        if (player?.kind === "bot") words.push(pilot(player.level));
        if (player?.kind === "program" && (player.author || player.url)) words.push(about(player));
        if (moves) words.push(h("span.to-move", t("player.to_move")));
        if (player && !mine && !(here && moves)) words.push(h("span", presence));
        return words;
      }
    }

    /** Returns a bot's level, and how it plays. @param {string} level */
    function pilot(level) {
      return h("span", { title: maybe(`pilot.${level}_line`) }, levelName(level));
    }

    /** Returns what a program says of itself. @param {import("../../wire/types.js").Program} program */
    function about({ author, url }) {
      const by = author ? t("player.by", { author }) : /** @type {string} */ (url);
      return url ? h("a", { href: url, rel: "noopener nofollow", target: "_blank" }, by) : h("span", by);
    }

    function banner() {
      // The recorder has the way back from a turning point.
      if (view.trial?.points.length) return [];
      if (!live) {
        const plies = followed.plies.length;
        const back = h("button.small", { onclick: () => look(plies) }, t("match.live"));
        return [h("span", t("match.past", { ply, plies })), back];
      }
      if (state.phase !== "playing" || !state.turn) return [];
      const word = state.turn === followed.seat ? "match.your_turn" : "match.their_turn";
      return [
        h("span", t(word, { name: seatName(state, state.turn) })),
        clocksWait(state) ? h("span.quiet", t("clock.waits")) : null,
      ];
    }
  }
  return { element, update, leave: time.leave };
}
