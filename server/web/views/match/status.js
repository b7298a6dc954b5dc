/**
 * What a match says when it is not being played: who is waited for, that a seat is free, or how it ended.
 *
 * @typedef {import("../match.js").Table} Table
 */
import { fill, h } from "../../dom/build.js";
import { refused } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { called, other } from "../player_names.js";
import { game_info } from "../../wire/catalogue.js";
import { amount } from "../durations.js";
import { share_field } from "./share.js";

/** Games that are about a ship and who is left of its crew. */
const SHIPS = new Set(["fib-fob", "rooks", "poker-nim", "nim-muskateers"]);

export function card() {
  const element = h("section.card.notice");
  let watching = false;
  let shown = "";
  let misere = false;
  let asked = false;
  let timer = 0;

  /** @param {Table} table */
  function update(table) {
    const { state, follow } = table;
    if (!asked) {
      asked = true;
      game_info(state.game).then((game) => {
        misere = game?.convention === "misere";
        shown = "";
        table.refresh();
      });
    }
    const key = JSON.stringify([
      state.phase,
      state.until,
      state.rematch,
      state.winner,
      follow.seat,
      follow.lost,
      watching,
    ]);
    if (key === shown) return;
    shown = key;
    const content = contents(table);
    element.hidden = content.length === 0;
    element.className = `card notice is-${follow.lost ? "lost" : state.phase}`;
    if (state.phase === "over") {
      element.classList.add(follow.seat ? (state.winner === follow.seat ? "you-won" : "you-lost") : "watched");
    }
    fill(element, ...content);
  }

  /** @param {Table} table */
  function contents(table) {
    const { state, follow } = table;
    if (follow.lost) {
      return [h("h2", null, t("match.lost")), h("a.button", { href: "/", "data-go": true }, t("match.back"))];
    }
    if (state.phase === "choosing") return choosing(table);
    if (state.phase === "open") return follow.seat ? waiting(table) : watching ? [] : free(table);
    if (state.phase === "closed") {
      return [
        h("h2", null, state.reason === "expired" ? t("match.expired") : t("match.withdrawn")),
        h("a.button.primary", { href: "/", "data-go": true }, t("match.again")),
      ];
    }
    if (state.phase === "over") return ended(table);
    return [];
  }

  /**
   * Who begins is to be said by one of the two, who sees the start.
   * @param {Table} table
   */
  function choosing({ state, follow, page }) {
    const chooser = state.chooser ?? "joiner";
    const left = h("span.clock", { role: "timer" });
    const tick = () => {
      left.textContent = amount(Math.max(0, (state.until ?? 0) - page.line.now()));
      if (left.isConnected) timer = setTimeout(tick, 1_000);
    };
    clearTimeout(timer);
    requestAnimationFrame(tick);
    if (follow.seat !== chooser) {
      return [
        h("h2", null, t("choose.other", { name: called(state.players[chooser]) })),
        h("p", null, t(follow.seat ? "choose.other_hint" : "choose.watch_hint"), " ", left),
      ];
    }
    const say = (/** @type {boolean} */ begin) => () =>
      page.line.request({ type: "choose", match: follow.match, order: begin ? "first" : "second" }).catch(() => {});
    return [
      h("h2", null, t("choose.title")),
      h("p", null, t("choose.hint"), " ", left),
      h(
        "div.row",
        null,
        h("button.primary.begin", { type: "button", onclick: say(true) }, t("choose.begin")),
        h("button.answer", { type: "button", onclick: say(false) }, t("choose.answer")),
      ),
    ];
  }

  /** @param {Table} table */
  function waiting({ follow, page }) {
    return [
      h("h2", null, t("match.waiting")),
      h("p", null, t("match.waiting_hint")),
      share_field(),
      h(
        "button.small",
        {
          type: "button",
          onclick: () =>
            page.line.request({ type: "leave", match: follow.match }).then(
              () => page.go("/"),
              () => {},
            ),
        },
        t("match.withdraw"),
      ),
    ];
  }

  /** @param {Table} table */
  function free(table) {
    const { state, follow, page } = table;
    const fault = h("p.fault");
    const take = () =>
      page.line.request({ type: "join", code: follow.code }).then(
        (accepted) => {
          page.line.follow(accepted);
          table.refresh();
        },
        (why) => fill(fault, refused(why)),
      );
    const watch = () => {
      watching = true;
      table.refresh();
    };
    return [
      h("h2", null, t("match.seat_free")),
      h("p", null, t("match.seat_free_hint", { name: called(state.players.creator) })),
      state.first === "joiner-chooses" ? h("p", null, t("choose.seat")) : null,
      state.learning ? h("p", null, t("match.seat_learning")) : null,
      fault,
      h(
        "div.row",
        null,
        h("button.primary.take-seat", { type: "button", onclick: take }, t("match.take_seat")),
        h("button", { type: "button", onclick: watch }, t("match.just_watch")),
      ),
    ];
  }

  /** @param {Table} table */
  function ended({ state, follow, page }) {
    const seat = state.winner ?? "creator";
    const [winner, loser] = [called(state.players[seat]), called(state.players[other(seat)])];
    const ship = SHIPS.has(state.game);
    const why =
      state.reason === "resigned" || state.reason === "out-of-time" || state.reason === "away"
        ? t(`end.${state.reason}`, { winner, loser })
        : misere
          ? t("end.misere", { winner, loser })
          : t(ship ? "end.arrived" : "end.last_move", { winner, loser });
    const heading = !follow.seat
      ? t("end.won", { name: winner })
      : follow.seat === seat
        ? t("end.you_won")
        : t(ship ? "end.you_lost" : "end.you_lost_plain");
    return [h("h2", null, heading), h("p", null, why), h("p.offer", null, offered()), h("div.row", null, ...rematch())];

    /** Has a line of its own, so that an offer moves nothing. */
    function offered() {
      const { rematch } = state;
      if (rematch?.state !== "offered" || !follow.seat) return "";
      return rematch.by === follow.seat
        ? t("match.rematch_offered")
        : t("match.rematch_wanted", { name: called(state.players[rematch.by]) });
    }

    function rematch() {
      const { rematch } = state;
      const again = h("a.button", { href: "/", "data-go": true }, t("match.again"));
      if (rematch?.state === "agreed") {
        return [
          h(
            "a.button.primary",
            { href: `/m/${rematch.next.code}`, "data-go": true },
            t(follow.seat ? "match.rematch" : "match.rematch_watch"),
          ),
        ];
      }
      if (!follow.seat) return [again];
      /**
       * @param {"offer-rematch" | "accept-rematch"} type
       * @returns {Promise<unknown>}
       */
      const ask = (type) =>
        page.line.request({ type, match: follow.match }).then(
          (accepted) => accepted.next && page.go(`/m/${accepted.next.code}`),
          // Both asked in the same moment: that is agreement.
          (why) => type === "offer-rematch" && why.reason === "rematch-offered" && ask("accept-rematch"),
        );
      if (!rematch) {
        return [
          h("button.primary", { type: "button", onclick: () => ask("offer-rematch") }, t("match.rematch")),
          again,
        ];
      }
      if (rematch.by === follow.seat) {
        return [h("button.primary", { type: "button", disabled: true }, t("match.rematch")), again];
      }
      return [
        h("button.primary", { type: "button", onclick: () => ask("accept-rematch") }, t("match.rematch_accept")),
        again,
      ];
    }
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
