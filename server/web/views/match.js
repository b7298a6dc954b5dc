/**
 * The match page: finds a match by its code and lays out the parts that show it. Every part updates itself from one
 * value, the props; this module decides which parts there are and when they update.
 *
 * @typedef {import("../wire/followed_match.js").FollowedMatch} FollowedMatch
 * @typedef {import("../wire/types.js").State} State
 *
 * @typedef {object} MatchProps
 * @property {import("../main.js").Page} page
 * @property {FollowedMatch} followed
 * @property {State} state
 * @property {MoveDraft} draft
 * @property {number} ply           the ply that is shown
 * @property {boolean} live         whether it is the newest ply
 * @property {boolean} mine         whether the viewer may move now
 * @property {(ply: number) => void} look   shows another ply
 * @property {() => void} refresh
 * @property {Winning} winning
 * @property {string} title
 * @property {ReturnType<typeof sheets>} sheets
 * @property {boolean} misere
 * @property {string} note          what the other player just did besides moving, until the next event
 * @property {string} refused       why the viewer's last request besides a move was refused, until the next event
 * @property {(error: Error) => void} refuse   shows why a request was refused
 *
 * @typedef {{ shown: boolean, moves: import("../play/legal_moves.js").LegalMoves | null }} Winning
 * @typedef {{ element: HTMLElement, update: (props: MatchProps) => void, leave?: () => void }} Part
 */
import { announce } from "../dom/announce.js";
import { fill, h } from "../dom/build.js";
import { before_paint } from "../dom/frames.js";
import { MoveDraft } from "../play/move_draft.js";
import { game_info } from "../wire/catalogue.js";
import { first_time, settings } from "../wire/storage.js";
import { title } from "../words/games.js";
import { refusal_text } from "../words/refused.js";
import { t } from "../words/words.js";
import { actions } from "./match/actions.js";
import { analysis } from "./match/analysis.js";
import { board } from "./match/board.js";
import { call_player, show_icon, show_title } from "./match/calls.js";
import { chat, has_reader, unread } from "./match/chat.js";
import { show_ending } from "./match/ending.js";
import { heading } from "./match/heading.js";
import { open_rules } from "./match/how_to_play.js";
import { follow_layout, sheets } from "./match/layout.js";
import { move_bar } from "./match/move_bar.js";
import { moves } from "./match/moves.js";
import { players } from "./match/players.js";
import { restored_notice } from "./match/restored_notice.js";
import { result, sentence } from "./match/sentences.js";
import { status } from "./match/status.js";
import { text_entry } from "./match/text_entry.js";

/**
 * Returns the page of the match with a code.
 * @param {import("../main.js").Page} page
 * @param {string} code
 * @returns {import("../main.js").View}
 */
export function match(page, code) {
  const element = h("div.match-page", null, h("h1.loading", null, t("match.loading")));
  let left = false;
  /** @type {FollowedMatch | null} */
  let followed = null;
  /** @type {() => void} */
  let close = () => {};

  page.connection.request({ type: "spectate", code }).then(
    (accepted) => {
      const found = page.connection.follow(accepted);
      if (left) return page.connection.unfollow(found);
      followed = found;
      close = open(page, found, element);
      found.addEventListener("restored", on_restored);
    },
    (error) => {
      document.title = "Fib Fob";
      const unknown = ["no-such-match", "bad-id"].includes(error.reason);
      fill(
        element,
        h(
          "section.card.nothing",
          null,
          h("h1", null, t(unknown ? "match.none" : "match.not_opened")),
          h("p", null, unknown ? t("match.none_hint") : refusal_text(error)),
          h("a.button.primary", { href: "/", "data-go": true }, t("match.back")),
        ),
      );
    },
  );

  /** Starts all parts anew, because what they remember belongs to another history. */
  function on_restored() {
    if (!followed) return;
    close();
    close = open(page, followed, element, true);
    announce(t("match.restored"), true);
  }

  return {
    element,
    leave() {
      left = true;
      close();
      followed?.removeEventListener("restored", on_restored);
      if (followed) page.connection.unfollow(followed);
    },
  };
}

/**
 * Shows a followed match in `host`, and returns the function that stops this.
 * @param {import("../main.js").Page} page
 * @param {FollowedMatch} followed
 * @param {HTMLElement} host
 * @param {boolean} [restored] whether the server was restored from a backup
 */
function open(page, followed, host, restored = false) {
  const draft = new MoveDraft(page.connection, followed, () => settings().confirm);
  const ending = new AbortController();
  const { signal } = ending;
  /** The ply that is shown; `null` for the newest. @type {number | null} */
  let shown_ply = null;
  /** @type {Winning} */
  const winning = { shown: false, moves: null };
  let game_title = "";
  let misere = false;
  let note = "";
  let refused = "";
  let ripe = false;
  /** @type {Part[] | null} */
  let parts = null;
  const showing = before_paint(show);
  const panels = sheets(refresh);
  follow_layout(signal, refresh);

  function build_parts() {
    const position = board();
    const outcome = status();
    const confirmation = move_bar();
    const seats = players();
    const buttons = actions();
    const list = moves(buttons.element);
    const entry = text_entry();
    const study = analysis();
    const messages = chat();
    const top = heading(rules);
    parts = [position, top, outcome, confirmation, seats, list, entry, study, messages, buttons];
    fill(
      host,
      h(
        "div.match",
        null,
        top.element,
        h(
          "section.table",
          { "aria-label": t("choice.position") },
          seats.element,
          position.element,
          messages.bubble,
          h("div.dock", null, restored ? restored_notice() : null, outcome.element, confirmation.element),
        ),
        h(
          "aside.side",
          null,
          panels.element,
          h("div.sheet", { id: "sheet" }, list.element, messages.element, entry.element, study.element),
        ),
      ),
    );
  }

  function show() {
    const { state } = followed;
    if (!state) return;
    if (!parts) build_parts();
    const newest = followed.plies.length;
    const ply = shown_ply === null ? newest : Math.min(shown_ply, newest);
    const on_turn = state.phase === "playing" && followed.seat !== null && state.turn === followed.seat;
    /** @type {MatchProps} */
    const props = {
      page,
      followed,
      state,
      draft,
      ply,
      live: ply === newest,
      mine: ply === newest && on_turn && !followed.lost,
      look(ply) {
        shown_ply = ply >= followed.plies.length ? null : Math.max(0, ply);
        winning.moves = null;
        draft.clear();
        refresh();
      },
      refresh,
      winning,
      title: game_title || title({ id: state.game }),
      sheets: panels,
      misere,
      note,
      refused,
      refuse,
    };
    for (const part of parts ?? []) part.update(props);
    // What the parts have just shown is what is called about.
    call_about_claim();
    show_title(page_title(props), awaited(props));
    const study = parts?.find((part) => part.element.classList.contains("analysis"));
    panels.update({ unread: unread(followed), chat: has_reader(followed), analysis: !study?.element.hidden });
  }

  /** Shows the rules to a player, and to an invited friend, at the first match of a game. */
  function show_rules_once() {
    const { state, seat } = followed;
    if (!state || document.querySelector("dialog[open]")) return;
    const guest = seat !== null ? ["open", "choosing", "playing"].includes(state.phase) : state.phase === "open";
    if (guest && first_time(state.game)) rules();
  }

  function rules() {
    const game = followed.state?.game ?? "";
    const onclose = () =>
      /** @type {HTMLElement | null} */ (host.querySelector(".stage"))?.focus({ preventScroll: true });
    open_rules(game, onclose);
  }

  /** Calls the player once when a claim has become possible. */
  function call_about_claim() {
    const now = !!host.querySelector(".claim");
    const text = host.querySelector(".bar-text")?.textContent ?? "";
    if (now && !ripe) {
      announce(text, true);
      call_player("claim", text);
    }
    ripe = now;
  }

  /** @param {MatchProps} props */
  function page_title({ state, title }) {
    // The game that has the page's own name is not named twice.
    const name = title === "Fib Fob" ? followed.code : t("match.title", { game: title, code: followed.code });
    if (state.phase === "over") return `${result(followed, misere).heading} · ${name}`;
    if (state.phase === "playing" && state.turn === followed.seat) return `${t("match.your_turn")} · ${name}`;
    return name;
  }

  /**
   * Returns whether the match waits for the viewer.
   * @param {MatchProps} props
   */
  function awaited({ state, live, mine }) {
    const { seat } = followed;
    if (!seat || followed.lost) return false;
    if (state.phase === "choosing") return state.chooser === seat;
    if (state.phase === "playing") return (live && mine) || (!!state.takeback && state.takeback !== seat) || ripe;
    return state.rematch?.state === "offered" && state.rematch.by !== seat;
  }

  /** Updates all parts before the next paint, once for several changes. */
  function refresh() {
    showing.request();
  }

  /** @param {Error} error */
  function refuse(error) {
    refused = refusal_text(error);
    refresh();
  }

  /** @param {import("../wire/types.js").TimedEvent[]} events */
  function on_events(events) {
    const newest = events.at(-1);
    // The history of a match that was just opened, or the rest of one after an interruption, is not told.
    if (!newest || newest.version === 1 || events.length > 2 || (events.length > 1 && events[0].version === 1)) return;
    const { text, call } = sentence(followed, newest, misere);
    note = newest.event === "takeback-declined" && newest.seat !== followed.seat ? text : "";
    if (text) announce(text);
    if (call) call_player(call, text);
    const stage = host.querySelector(".stage");
    if (call === "over" && stage) {
      show_ending(
        /** @type {HTMLElement} */ (stage),
        result(followed, misere).heading,
        followed.state?.winner === followed.seat,
      );
    }
  }

  followed.addEventListener(
    "change",
    (event) => {
      /** @type {import("../wire/types.js").TimedEvent[]} */
      const events = /** @type {CustomEvent} */ (event).detail;
      refused = "";
      if (events.some(({ event }) => event === "moved" || event === "taken-back")) {
        winning.moves = null;
        if (!draft.sending) draft.clear();
      }
      refresh();
      on_events(events);
    },
    { signal },
  );
  followed.addEventListener("presence", refresh, { signal });
  followed.addEventListener("chat", refresh, { signal });
  draft.addEventListener(
    "change",
    () => {
      refused = "";
      refresh();
    },
    { signal },
  );
  page.connection.addEventListener("state", refresh, { signal });
  addEventListener("keydown", (event) => on_key(event, draft), { signal });
  const load_title = () =>
    followed.state &&
    game_info(followed.state.game).then((game) => {
      game_title = game ? title(game) : "";
      misere = game?.convention === "misere";
      if (game) show_rules_once();
      refresh();
    });
  followed.addEventListener("change", load_title, { once: true, signal });
  load_title();
  refresh();

  return () => {
    ending.abort();
    show_icon(false);
    showing.stop();
    for (const part of parts ?? []) part.leave?.();
  };
}

/**
 * Calls the viewer about a match that no page shows: an invitation that a friend has taken.
 * @param {{ followed: FollowedMatch, events: import("../wire/types.js").TimedEvent[] }} news
 */
export async function call_elsewhere({ followed, events }) {
  const newest = events.at(-1);
  if (!newest || !followed.state || newest.version === 1) return;
  const game = await game_info(followed.state.game);
  const { text, call } = sentence(followed, newest, game?.convention === "misere");
  if (!call) return;
  const words = `${t("match.code", { code: followed.code })}: ${text}`;
  announce(words);
  call_player(call, words, `/m/${followed.code}`);
}

/**
 * Handles the keys that work anywhere on the match page.
 * @param {KeyboardEvent} event
 * @param {MoveDraft} draft
 */
function on_key(event, draft) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector(/** @type {"input"} */ (".typed input"))?.focus();
  } else if (event.key === "Escape") draft.clear();
}
