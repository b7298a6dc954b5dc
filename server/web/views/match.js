/**
 * The match page: finds a match by its code and lays out the parts that show it. Every part is made once for
 * one view of the match, and updates itself from it; this module decides which parts there are and when they update.
 */
import { announce } from "../dom/announce.js";
import { fill, h, set } from "../dom/build.js";
import { beforePaint } from "../dom/frames.js";
import { SHIPS } from "../pictures/pictures.js";
import { LegalMoves, NONE } from "../play/legal_moves.js";
import { MoveDraft } from "../play/move_draft.js";
import { gameInfo } from "../wire/catalogue.js";
import { firstTime, settings } from "../wire/storage.js";
import { title } from "../words/games.js";
import { refusalText } from "../words/refused.js";
import { t } from "../words/words.js";
import { board } from "./match/board.js";
import { callPlayer, showTitle } from "./match/calls.js";
import { hasReader, unread } from "./match/chat_lines.js";
import { heading } from "./match/heading.js";
import { closeRules, openRules } from "./match/how_to_play.js";
import { later } from "./match/later.js";
import { followLayout, sheets } from "./match/layout.js";
import { moveBar } from "./match/move_bar.js";
import { actions, moves } from "./match/moves.js";
import { players } from "./match/players.js";
import { Review } from "./match/review.js";
import { result, sentence } from "./match/sentences.js";
import { status } from "./match/status.js";
import { other } from "./player_names.js";

/** What the page shows of a match that is followed, and what its parts do with it. */
export class ShownMatch {
  #draft;
  /** The legal moves that were read last. @type {{ key?: readonly unknown[], moves: LegalMoves }} */
  #legal = { moves: NONE };
  /** The turning points that are being tried again. @type {import("./match/trial.js").Trial | null} */
  trial = null;
  /** The ply that is looked at; `null` for the newest. @type {number | null} */
  #ply = null;
  title = "";
  misere = false;
  /** What the other player just did besides moving, until the next event. */
  note = "";
  /** What the bar asks about an opponent who is away for so long that the viewer may end the match. */
  claim = "";
  /** Whether the analysis is offered. */
  explained = false;
  /** Whether a rematch that was agreed on meanwhile awaits the viewer. */
  awaited = false;
  /** Why the viewer's last request besides a move was refused, until the next event. */
  refused = "";
  /** @type {{ shown: boolean, moves: LegalMoves | null }} */
  winning = { shown: false, moves: null };

  /**
   * @param {Page} page
   * @param {FollowedMatch} followed
   * @param {() => void} refresh   updates all parts before the next paint, once for several changes
   */
  constructor(page, followed, refresh) {
    this.page = page;
    this.followed = followed;
    this.refresh = refresh;
    this.#draft = new MoveDraft(page.connection, followed, () => settings().confirm);
    this.review = new Review(this);
    this.sheets = sheets(refresh);
  }

  /** The move that is about to be made: in the match, or where a turning point is tried again. */
  get draft() {
    return this.trial?.attempt.draft ?? this.#draft;
  }

  /** What choices on the picture are made with. */
  get choosing() {
    return this.draft;
  }

  /** There are no parts before the first state. */
  get state() {
    return /** @type {State} */ (this.followed.state);
  }

  get ply() {
    const ply = this.trial ? this.trial.ply - 1 : (this.#ply ?? Infinity);
    return Math.min(ply, this.followed.plies.length);
  }

  /** Whether the newest ply is shown. */
  get live() {
    return this.ply === this.followed.plies.length;
  }

  /** Whether the viewer may move now. */
  get mine() {
    const { seat, lost } = this.followed;
    return this.live && this.state.phase === "playing" && seat !== null && this.state.turn === seat && !lost;
  }

  /** The match, or the turning point that is being tried again. */
  get played() {
    return this.trial?.attempt.study ?? this.followed;
  }

  /** The moves among which the viewer chooses; none while it is not the viewer's turn. */
  get legal() {
    const { played } = this;
    const key = played.state?.legal;
    if (key !== this.#legal.key) this.#legal = { key, moves: new LegalMoves(key ?? []) };
    return this.chooses ? this.#legal.moves : NONE;
  }

  /** Whether the viewer may choose a move on the picture now. */
  get chooses() {
    return this.trial?.attempt.open ?? this.mine;
  }

  /** The seat whose pilot was erased from reality, in a game with a ship. */
  get erased() {
    const { game, phase, winner } = this.state;
    return phase === "over" && winner && SHIPS.has(game) ? other(winner) : null;
  }

  /** Shows another ply. @param {number} ply */
  look = (ply) => {
    this.trial?.end();
    this.trial = null;
    this.#ply = ply >= this.followed.plies.length ? null : Math.max(0, ply);
    this.winning.moves = null;
    this.draft.clear();
    this.refresh();
  };

  /** Shows winning moves on the picture, or hides them. @param {boolean} shown */
  mark = (shown) => {
    this.winning.shown = shown;
    this.refresh();
  };

  /** Goes back from a turning point to the end of the match. */
  endTrial = () => this.look(Infinity);

  /** Closes what covers the instruments or the result. */
  uncover() {
    closeRules();
    this.sheets.close();
  }

  /** Shows why a request was refused. @param {Error} error */
  refuse = (error) => {
    this.refused = refusalText(error);
    this.refresh();
  };

  /** Sends an action, and shows why it was refused. @param {ActionBody} action */
  send = (action) => {
    const body = /** @type {RequestBody} */ ({ match: this.followed.match, ...action });
    this.page.connection.request(body).catch(this.refuse);
  };
}

/** @type {(page: Page, code: string) => View} */
export function match(page, code) {
  const element = h("div.match-page", h("h1.loading", t("match.loading")));
  /** @type {FollowedMatch | null} */
  let followed = null;
  let close = () => {};

  page.connection.request({ type: "spectate", code }).then(
    (accepted) => {
      const found = page.connection.follow(accepted);
      if (!element.isConnected) return page.connection.unfollow(found);
      followed = found;
      close = open(page, found, element);
      found.addEventListener("restored", onRestored);
    },
    (error) => {
      showTitle("");
      const unknown = ["no-such-match", "bad-id"].includes(error.reason);
      const heading = h("h1", t(unknown ? "match.none" : "match.not_opened"));
      const why = h("p", unknown ? t("match.none_hint") : refusalText(error));
      const back = h("a.button.primary", { href: "/", "data-go": true }, t("match.back"));
      fill(element, h("section.card.nothing", heading, why, back));
    },
  );

  /** Starts all parts anew, because what they remember belongs to another history. */
  function onRestored() {
    if (!followed) return;
    close();
    close = open(page, followed, element, true);
    announce(t("match.restored"), true);
  }

  return {
    element,
    leave() {
      close();
      followed?.removeEventListener("restored", onRestored);
      if (followed) page.connection.unfollow(followed);
    },
  };
}

/**
 * Shows a followed match in `host`, and returns the function that stops this.
 * @type {(page: Page, followed: FollowedMatch, host: HTMLElement, restored?: boolean) => () => void}
 */
function open(page, followed, host, restored = false) {
  const showing = beforePaint(show);
  const refresh = () => showing.request();
  const view = new ShownMatch(page, followed, refresh);
  const ending = new AbortController();
  const { signal } = ending;
  let ripe = false;
  /** What the match wants of the player; null before a player is there. @type {"" | "end" | "act" | null} */
  let wanted = null;
  /** @type {Part[] | null} */
  let parts = null;
  /** @type {Part | null} */
  let study = null;
  followLayout(signal, refresh);

  function buildParts() {
    view.title ||= title({ id: view.state.game });
    const position = board(view);
    const outcome = status(view);
    const flight = later(view, ({ recorder }) => recorder(view));
    const confirmation = moveBar(view);
    const seats = players(view);
    const buttons = actions(view);
    const list = moves(view, buttons.element);
    const entry = later(view, ({ textEntry }) => textEntry(view));
    study = later(view, ({ analysis }) => analysis(view));
    const messages = later(view, ({ chat }) => chat(view));
    const top = heading(view, () => void openRules(view.state.game));
    // The bar shows what the chat has not.
    parts = [position, top, messages, outcome, flight, confirmation, seats, list, entry, study, buttons];
    const named = { "aria-label": t("choice.position") };
    const dock = h(
      "div.dock",
      restored ? restoredNotice() : null,
      outcome.element,
      confirmation.element,
      flight.element,
    );
    const sheet = h("div.sheet", { id: "sheet" }, list.element, messages.element, entry.element, study.element);
    fill(
      host,
      h(
        "div.match",
        top.element,
        h("section.table", named, seats.element, position.element, dock),
        h("aside.side", view.sheets.element, sheet),
      ),
    );
  }

  function show() {
    if (!followed.state) return;
    if (!parts) buildParts();
    for (const part of parts ?? []) part.update();
    // What the parts have just shown is what is called about.
    callAboutClaim();
    const stage = host.firstElementChild;
    if (stage) set(stage, { "data-erased": view.erased });
    showTitle(pageTitle(), awaited());
    uncover();
    view.sheets.update({ unread: unread(followed), chat: hasReader(followed), analysis: view.explained });
  }

  /** Closes sheets when the match begins to want something of the viewer, and not what was opened since. */
  function uncover() {
    // A line that is back wants nothing new.
    if (followed.lost) return;
    const before = wanted;
    const isEnd = ["over", "closed"].includes(view.state.phase);
    wanted = isEnd ? "end" : awaited() ? "act" : followed.seat ? "" : null;
    // A player who took the seat just now reads the rules before the first move.
    const mayRead = before === null && wanted === "act";
    if (wanted && wanted !== before && !mayRead) view.uncover();
  }

  function showRulesOnce() {
    const { state, seat } = followed;
    const plays = seat !== null && !!state && ["choosing", "playing"].includes(state.phase);
    if (plays && !document.querySelector("dialog[open]") && firstTime(state.game)) openRules(state.game);
  }

  /** Calls the player once when a claim has become possible. */
  function callAboutClaim() {
    const { claim } = view;
    if (claim && !ripe) {
      announce(claim, true);
      callPlayer("claim", claim);
    }
    ripe = !!claim;
  }

  function pageTitle() {
    const { state, title, misere } = view;
    // The game that has the page's own name is not named twice.
    const name = title === "Fib Fob" ? followed.code : t("match.title", { game: title, code: followed.code });
    if (view.awaited) return `${t("match.to_rematch")} · ${name}`;
    if (view.erased && view.erased === followed.seat) return `${t("end.forgotten")} · ${name}`;
    if (state.phase === "over") return `${result(followed, misere).heading} · ${name}`;
    if (state.phase === "playing" && state.turn === followed.seat) return `${t("match.your_turn")} · ${name}`;
    return name;
  }

  function awaited() {
    const { state } = view;
    const { seat } = followed;
    if (!seat || followed.lost) return false;
    if (state.phase === "choosing") return state.chooser === seat;
    if (state.phase === "playing") return state.turn === seat || (!!state.takeback && state.takeback !== seat) || ripe;
    return view.awaited || (state.rematch?.state === "offered" && state.rematch.by !== seat);
  }

  /** @param {TimedEvent[]} events */
  function onEvents(events) {
    const newest = events.at(-1);
    // The history of a match that was just opened, or the rest of one after an interruption, is not told.
    if (!newest || newest.version === 1 || events.length > 2 || (events.length > 1 && events[0].version === 1)) return;
    const { text, call } = sentence(followed, newest, view.misere);
    view.note = newest.event === "takeback-declined" && newest.seat !== followed.seat ? text : "";
    if (text) announce(text);
    if (call) callPlayer(call, text);
    const stage = host.querySelector(".stage");
    const won = followed.state?.winner === followed.seat;
    if (call === "over" && stage && followed.state?.winner) {
      const words = result(followed, view.misere).heading;
      // Without the network, the result below the picture tells it too.
      import("./match/ending.js").then(
        ({ showEnding }) => showEnding(stage, words, won),
        () => {},
      );
    }
  }

  async function loadTitle() {
    if (!followed.state) return;
    const game = await gameInfo(followed.state.game);
    view.title = title(game ?? { id: followed.state.game });
    view.misere = game?.convention === "misere";
    if (game) showRulesOnce();
    refresh();
  }

  followed.addEventListener(
    "change",
    (event) => {
      /** @type {TimedEvent[]} */
      const events = /** @type {CustomEvent} */ (event).detail;
      view.refused = "";
      if (events.some(({ event }) => event === "moved" || event === "taken-back")) {
        view.winning.moves = null;
        view.trial?.end();
        view.trial = null;
        if (!view.draft.sending) view.draft.clear();
      }
      refresh();
      onEvents(events);
    },
    { signal },
  );
  followed.addEventListener("presence", refresh, { signal });
  followed.addEventListener("chat", refresh, { signal });
  let chosen = view.draft.move;
  const onDraft = () => {
    view.refused = "";
    // A hint, or what became of a try, is about another choice.
    if (chosen !== view.draft.move) view.note = "";
    chosen = view.draft.move;
    refresh();
  };
  view.draft.addEventListener("change", onDraft, { signal });
  for (const event of ["state", "delayed"]) page.connection.addEventListener(event, refresh, { signal });
  addEventListener("keydown", (event) => onKey(event, view.draft), { signal });
  followed.addEventListener("change", loadTitle, { once: true, signal });
  loadTitle();
  refresh();

  return () => {
    ending.abort();
    view.trial?.end();
    showTitle("");
    showing.stop();
    for (const part of parts ?? []) part.leave?.();
  };
}

/** The notice that the server was restored from a backup. @returns {HTMLElement} */
function restoredNotice() {
  const close = h("button.small", { onclick: () => element.remove() }, t("top.close"));
  const element = h("section.card.notice.restored", h("p", t("match.restored")), h("div.row", close));
  return element;
}

/** Handles the keys that work anywhere on the match page. @type {(event: KeyboardEvent, draft: MoveDraft) => void} */
function onKey(event, draft) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector(/** @type {"input"} */ (".typed input"))?.focus();
  } else if (event.key === "Escape") draft.clear();
}
