/**
 * One match: finding it by its code, and laying out everything that shows it. Each part shows itself from one value,
 * the table; this file decides which parts there are and when they look again.
 *
 * @typedef {import("../wire/followed_match.js").Follow} Follow
 * @typedef {import("../wire/types.js").State} State
 *
 * @typedef {object} Table
 * @property {import("../main.js").Page} page
 * @property {Follow} follow
 * @property {State} state
 * @property {Choice} choice
 * @property {number} ply           the ply that is looked at
 * @property {boolean} live         whether that is the newest one
 * @property {boolean} mine         whether the viewer may move now
 * @property {(ply: number) => void} look
 * @property {() => void} refresh
 * @property {Winning} winning
 * @property {string} title
 *
 * @typedef {{ shown: boolean, moves: import("../play/legal_moves.js").Legal | null }} Winning
 * @typedef {{ element: HTMLElement, update: (table: Table) => void, leave?: () => void }} Part
 */
import { announce } from "../dom/announce.js";
import { fill, h } from "../dom/build.js";
import { Choice } from "../play/move_draft.js";
import { game_info } from "../wire/catalogue.js";
import { settings } from "../wire/storage.js";
import { title } from "../words/games.js";
import { t } from "../words/words.js";
import { actions } from "./match/actions.js";
import { analysis } from "./match/analysis.js";
import { bar } from "./match/move_bar.js";
import { card } from "./match/status.js";
import { head } from "./match/heading.js";
import { moves } from "./match/moves.js";
import { players } from "./match/players.js";
import { talk } from "./match/chat.js";
import { stage } from "./match/board.js";
import { typed } from "./match/text_entry.js";
import { called } from "./player_names.js";

/**
 * @param {import("../main.js").Page} page
 * @param {string} code
 */
export function match(page, code) {
  const element = h("div.match-page", null, h("p.loading", null, t("match.loading")));
  let left = false;
  /** @type {(() => void) | null} */
  let end = null;

  page.line.request({ type: "spectate", code }).then(
    (accepted) => {
      const follow = page.line.follow(accepted);
      if (left) page.line.unfollow(follow);
      else end = open(page, follow, element);
    },
    () => {
      document.title = "Fib Fob";
      fill(
        element,
        h(
          "section.card.nothing",
          null,
          h("h1", null, t("match.none")),
          h("p", null, t("match.none_hint")),
          h("a.button.primary", { href: "/", "data-go": true }, t("match.back")),
        ),
      );
    },
  );
  return {
    element,
    leave() {
      left = true;
      end?.();
    },
  };
}

/**
 * @param {import("../main.js").Page} page
 * @param {Follow} follow
 * @param {HTMLElement} host
 */
function open(page, follow, host) {
  const choice = new Choice(page.line, follow, () => settings().confirm);
  const ending = new AbortController();
  const { signal } = ending;
  /** The ply that is looked at; none for the newest. @type {number | null} */
  let looked = null;
  /** @type {Winning} */
  const winning = { shown: false, moves: null };
  let name = "";
  /** @type {{ picture: Part, rest: Part[] } | null} */
  let parts = null;
  let frame = 0;

  function lay() {
    const picture = stage();
    const over = card();
    const choose = bar();
    const people = players();
    const acts = actions();
    const list = moves(acts.element);
    const field = typed();
    const study = analysis();
    const words = talk();
    const top = head();
    parts = { picture, rest: [top, over, choose, people, list, field, study, words, acts] };
    fill(
      host,
      h(
        "div.match",
        null,
        top.element,
        h(
          "section.table",
          { "aria-label": t("choice.position") },
          people.element,
          picture.element,
          h("div.dock", null, over.element, choose.element),
        ),
        h("aside.side", null, list.element, field.element, study.element, words.element),
      ),
    );
  }

  function show() {
    frame = 0;
    const { state } = follow;
    if (!state) return;
    if (!parts) lay();
    const newest = follow.plies.length;
    const ply = looked === null ? newest : Math.min(looked, newest);
    /** @type {Table} */
    const table = {
      page,
      follow,
      state,
      choice,
      ply,
      live: ply === newest,
      mine:
        ply === newest &&
        state.phase === "playing" &&
        follow.seat !== null &&
        state.turn === follow.seat &&
        !follow.lost,
      look(ply) {
        looked = ply >= follow.plies.length ? null : Math.max(0, ply);
        winning.moves = null;
        choice.clear();
        refresh();
      },
      refresh,
      winning,
      title: name || title({ id: state.game }),
    };
    document.title = table.mine
      ? `● ${t("match.your_turn")} · Fib Fob`
      : `${t("match.title", { game: table.title, code: follow.code })} · Fib Fob`;
    parts?.picture.update(table);
    for (const part of parts?.rest ?? []) part.update(table);
  }

  /** Several changes of one moment are shown once. */
  function refresh() {
    if (!frame) frame = requestAnimationFrame(show);
  }

  /** @param {import("../wire/types.js").Happening[]} events */
  function tell(events) {
    const { state, seat } = follow;
    const newest = events.at(-1);
    if (!state || !newest || events.length > 2) return;
    const words = [];
    if (newest.event === "joined") words.push(t("said.joined", { name: called(newest.player) }));
    if (newest.event === "moved" && newest.seat && newest.move) {
      words.push(t("said.moved", { name: called(state.players[newest.seat]), move: newest.move }));
    }
    const by = newest.seat ? called(state.players[newest.seat]) : "";
    if (newest.event === "chosen" || newest.event === "choice-lapsed") {
      words.push(t("said.begins", { name: called(state.players[state.first === "joiner" ? "joiner" : "creator"]) }));
    }
    if (newest.event === "takeback-offered" && newest.seat !== seat) words.push(t("said.takeback", { name: by }));
    if (newest.event === "taken-back") words.push(t("said.taken_back"));
    if (newest.event === "takeback-declined" && newest.seat !== seat) {
      words.push(t("said.takeback_declined", { name: by }));
    }
    if (state.phase === "choosing" && state.chooser === seat) words.push(t("choose.title"));
    if (newest.event === "rematch-offered" && newest.seat && newest.seat !== seat) {
      words.push(t("said.rematch", { name: called(state.players[newest.seat]) }));
    }
    if (state.phase === "playing" && state.turn === seat) words.push(t("said.your_turn"));
    if (words.length) announce(words.join(" "));
    if (newest.event === "rematch-accepted" && newest.next && seat) page.go(`/m/${newest.next.code}`);
  }

  follow.addEventListener(
    "change",
    (event) => {
      const events = /** @type {CustomEvent} */ (event).detail;
      if (events.some((/** @type {any} */ event) => event.event === "moved" || event.event === "taken-back")) {
        winning.moves = null;
        if (!choice.sending) choice.clear();
      }
      refresh();
      tell(events);
    },
    { signal },
  );
  follow.addEventListener("presence", refresh, { signal });
  follow.addEventListener("talk", refresh, { signal });
  choice.addEventListener("change", refresh, { signal });
  page.line.addEventListener("state", refresh, { signal });
  addEventListener("keydown", (event) => keys(event, follow, choice), { signal });
  const game = () =>
    follow.state &&
    game_info(follow.state.game).then((game) => {
      name = game ? title(game) : "";
      refresh();
    });
  follow.addEventListener("change", game, { once: true, signal });
  game();
  refresh();

  return () => {
    ending.abort();
    cancelAnimationFrame(frame);
    for (const part of parts?.rest ?? []) part.leave?.();
    page.line.unfollow(follow);
  };
}

/**
 * @param {KeyboardEvent} event
 * @param {Follow} follow
 * @param {Choice} choice
 */
function keys(event, follow, choice) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector(/** @type {"input"} */ (".typed input"))?.focus();
  } else if (event.key === "Escape") choice.clear();
}
