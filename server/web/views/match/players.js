/** The two seats: names, connection states, clocks and the turn. */
import { announce } from "../../dom/announce.js";
import { changes, fill, h, say } from "../../dom/build.js";
import { portrait } from "../../pictures/portraits.js";
import { maybe, t } from "../../words/words.js";
import { amount, clockRuns, timeLeft } from "../durations.js";
import { leftToMove } from "../match_state.js";
import { authorOf, levelName, other, seatName } from "../player_names.js";

/** The time left, in milliseconds, below which a clock shows tenths and is highlighted. */
const SHORT_MS = 20_000;
/** The times left, in milliseconds, that are announced to the player. */
const ANNOUNCED_MS = [60_000, 10_000];
const TICK_MS = 1_000;
const SHORT_TICK_MS = 100;

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
    const { players, phase, winner, first_move_until: until } = state;
    const seen = [followed.seat, first, ...followed.connected, page.connection.open];
    const past = live || [ply, followed.plies.length, !!view.trial];
    if (!isOther(players, phase, state.turn, winner, !until, seen, past)) return;
    fill(seats, ...[first, other(first)].map((seat) => card(seat)));
    fill(turn, ...banner());
    turn.classList.toggle("yours", live && state.phase === "playing" && state.turn === followed.seat);

    /** @param {Seat} seat */
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

    /** Returns what a program says of itself. @param {Program} program */
    function about(program) {
      const { url } = program;
      const by = authorOf(program) || url;
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
      if (until) return [time.firstMove];
      const word = state.turn === followed.seat ? "match.your_turn" : "match.their_turn";
      return [h("span", t(word, { name: seatName(state, state.turn) }))];
    }
  }
  return { element, update, leave: time.leave };
}

/**
 * The two clocks, and the time for a first move. Only the server measures time. Between frames this counts down from
 * the server's last values, so that the display is wrong by no more than the network delay.
 * @param {ShownMatch} view
 */
function clocks(view) {
  const meaning = { role: "timer", "aria-live": "off" };
  const face = () => h("span.clock", meaning);
  const faces = { creator: face(), joiner: face() };
  const firstMove = h("span.first-move", meaning);
  let timer = 0;
  /** The time that the viewer had left to move at the last update; 0 when it is not their turn. */
  let lastLeft = 0;

  function show() {
    clearTimeout(timer);
    const { state, followed, page } = view;
    const { first_move_until: until, turn } = state;
    const now = page.connection.now();
    const left = leftToMove(state, now) ?? 0;
    let next = until && left > 0 ? (left % TICK_MS) + 1 : 0;
    if (until && turn) {
      const word = turn === followed.seat ? "clock.your_first_move" : "clock.first_move";
      say(firstMove, t(word, { name: seatName(state, turn), time: amount(left) }));
    }
    for (const seat of /** @type {const} */ (["creator", "joiner"])) {
      const ms = timeLeft(state, seat, now) ?? initial(state, seat);
      const face = faces[seat];
      face.hidden = ms === null;
      if (ms === null) continue;
      const runs = clockRuns(state, seat);
      const short = ms < SHORT_MS && state.phase === "playing";
      const text = amount(ms, short && runs);
      say(face, text);
      face.classList.toggle("runs", runs);
      face.classList.toggle("short", short);
      face.setAttribute("aria-label", t(runs ? "clock.runs" : "clock.stands", { time: amount(ms) }));
      if (runs && ms > 0) next = short ? SHORT_TICK_MS : Math.min(TICK_MS, (ms % TICK_MS) + 1);
    }
    if (turn === followed.seat && state.clocks) announceLeft(left);
    else lastLeft = 0;
    if (next) timer = setTimeout(show, next);
  }

  /** Announces a mark when the viewer's time to move passes it while the page is open. @param {number} ms */
  function announceLeft(ms) {
    const mark = ANNOUNCED_MS.find((mark) => ms <= mark && mark < lastLeft);
    // A sheet may have been opened on the viewer's own time.
    if (ms < SHORT_MS && !(lastLeft && lastLeft < SHORT_MS)) view.uncover();
    if (mark !== undefined) announce(t("clock.left", { time: amount(mark) }), true);
    lastLeft = ms;
  }

  return {
    /** @param {Seat} seat */
    face: (seat) => faces[seat],
    firstMove,
    update: show,
    leave: () => clearTimeout(timer),
  };
}

/** Returns null for a bot and without clocks. @type {(state: State, seat: Seat) => number | null} */
function initial({ time, players }, seat) {
  if (!time || time === "none" || players[seat]?.kind === "bot") return null;
  return "match" in time ? time.match.initial_ms : time.move.each_ms;
}
