/**
 * The notice of a match that is not being played: waiting for the other player, a free seat, the choice of the first
 * move, or the result.
 *
 * @typedef {import("../match.js").MatchProps} MatchProps
 */
import { fill, h } from "../../dom/build.js";
import { refusal_text } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { player_name, other } from "../player_names.js";
import { game_info } from "../../wire/catalogue.js";
import { amount } from "../durations.js";
import { share_field } from "./share.js";

/** Games about a ship and its crew, whose results are told as a story. */
const SHIPS = new Set(["fib-fob", "rooks", "poker-nim", "nim-muskateers"]);

export function status() {
  const element = h("section.card.notice");
  let watching = false;
  let shown = "";
  let misere = false;
  let loaded = false;
  let timer = 0;

  /** @param {MatchProps} props */
  function update(props) {
    const { state, followed } = props;
    if (!loaded) {
      loaded = true;
      game_info(state.game).then((game) => {
        misere = game?.convention === "misere";
        shown = "";
        props.refresh();
      });
    }
    const key = JSON.stringify([
      state.phase,
      state.until,
      state.rematch,
      state.winner,
      followed.seat,
      followed.lost,
      watching,
    ]);
    if (key === shown) return;
    shown = key;
    const content = contents(props);
    element.hidden = content.length === 0;
    element.className = `card notice is-${followed.lost ? "lost" : state.phase}`;
    if (state.phase === "over") {
      element.classList.add(followed.seat ? (state.winner === followed.seat ? "you-won" : "you-lost") : "watched");
    }
    fill(element, ...content);
  }

  /** @param {MatchProps} props */
  function contents(props) {
    const { state, followed } = props;
    if (followed.lost) {
      return [h("h2", null, t("match.lost")), h("a.button", { href: "/", "data-go": true }, t("match.back"))];
    }
    if (state.phase === "choosing") return choosing(props);
    if (state.phase === "open") return followed.seat ? waiting(props) : watching ? [] : free(props);
    if (state.phase === "closed") {
      return [
        h("h2", null, state.reason === "expired" ? t("match.expired") : t("match.withdrawn")),
        h("a.button.primary", { href: "/", "data-go": true }, t("match.again")),
      ];
    }
    if (state.phase === "over") return ended(props);
    return [];
  }

  /**
   * One of the players, who sees the start, chooses who moves first.
   * @param {MatchProps} props
   */
  function choosing({ state, followed, page }) {
    const chooser = state.chooser ?? "joiner";
    const left = h("span.clock", { role: "timer" });
    const tick = () => {
      left.textContent = amount(Math.max(0, (state.until ?? 0) - page.connection.now()));
      if (left.isConnected) timer = setTimeout(tick, 1_000);
    };
    clearTimeout(timer);
    requestAnimationFrame(tick);
    if (followed.seat !== chooser) {
      return [
        h("h2", null, t("choose.other", { name: player_name(state.players[chooser]) })),
        h("p", null, t(followed.seat ? "choose.other_hint" : "choose.watch_hint"), " ", left),
      ];
    }
    const choose = (/** @type {"first" | "second"} */ order) => () =>
      page.connection.request({ type: "choose", match: followed.match, order }).catch(() => {});
    return [
      h("h2", null, t("choose.title")),
      h("p", null, t("choose.hint"), " ", left),
      h(
        "div.row",
        null,
        h("button.primary.move-first", { type: "button", onclick: choose("first") }, t("choose.first")),
        h("button.move-second", { type: "button", onclick: choose("second") }, t("choose.second")),
      ),
    ];
  }

  /** @param {MatchProps} props */
  function waiting({ followed, page }) {
    return [
      h("h2", null, t("match.waiting")),
      h("p", null, t("match.waiting_hint")),
      share_field(),
      h(
        "button.small",
        {
          type: "button",
          onclick: () =>
            page.connection.request({ type: "leave", match: followed.match }).then(
              () => page.go("/"),
              () => {},
            ),
        },
        t("match.withdraw"),
      ),
    ];
  }

  /** @param {MatchProps} props */
  function free(props) {
    const { state, followed, page } = props;
    const fault = h("p.fault");
    const take = () =>
      page.connection.request({ type: "join", code: followed.code }).then(
        (accepted) => {
          page.connection.follow(accepted);
          props.refresh();
        },
        (error) => fill(fault, refusal_text(error)),
      );
    const watch = () => {
      watching = true;
      props.refresh();
    };
    return [
      h("h2", null, t("match.seat_free")),
      h("p", null, t("match.seat_free_hint", { name: player_name(state.players.creator) })),
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

  /** @param {MatchProps} props */
  function ended({ state, followed, page }) {
    const seat = state.winner ?? "creator";
    const [winner, loser] = [player_name(state.players[seat]), player_name(state.players[other(seat)])];
    const ship = SHIPS.has(state.game);
    const reason_text =
      state.reason === "resigned" || state.reason === "out-of-time" || state.reason === "away"
        ? t(`end.${state.reason}`, { winner, loser })
        : misere
          ? t("end.misere", { winner, loser })
          : t(ship ? "end.arrived" : "end.last_move", { winner, loser });
    const heading = !followed.seat
      ? t("end.won", { name: winner })
      : followed.seat === seat
        ? t("end.you_won")
        : t(ship ? "end.you_lost" : "end.you_lost_plain");
    return [
      h("h2", null, heading),
      h("p", null, reason_text),
      h("p.offer", null, offered()),
      h("div.row", null, ...rematch()),
    ];

    /** The offer of a rematch, on a line of its own, so that it moves nothing else. */
    function offered() {
      const { rematch } = state;
      if (rematch?.state !== "offered" || !followed.seat) return "";
      return rematch.by === followed.seat
        ? t("match.rematch_offered")
        : t("match.rematch_wanted", { name: player_name(state.players[rematch.by]) });
    }

    function rematch() {
      const { rematch } = state;
      const again = h("a.button", { href: "/", "data-go": true }, t("match.again"));
      if (rematch?.state === "agreed") {
        return [
          h(
            "a.button.primary",
            { href: `/m/${rematch.next.code}`, "data-go": true },
            t(followed.seat ? "match.rematch" : "match.rematch_watch"),
          ),
        ];
      }
      if (!followed.seat) return [again];
      /**
       * @param {"offer-rematch" | "accept-rematch"} type
       * @returns {Promise<unknown>}
       */
      const send = (type) =>
        page.connection.request({ type, match: followed.match }).then(
          (accepted) => accepted.next && page.go(`/m/${accepted.next.code}`),
          // Both players offered a rematch at the same moment, so the second offer is an acceptance.
          (error) => type === "offer-rematch" && error.reason === "rematch-offered" && send("accept-rematch"),
        );
      if (!rematch) {
        return [
          h("button.primary", { type: "button", onclick: () => send("offer-rematch") }, t("match.rematch")),
          again,
        ];
      }
      if (rematch.by === followed.seat) {
        return [h("button.primary", { type: "button", disabled: true }, t("match.rematch")), again];
      }
      return [
        h("button.primary", { type: "button", onclick: () => send("accept-rematch") }, t("match.rematch_accept")),
        again,
      ];
    }
  }
  return { element, update, leave: () => clearTimeout(timer) };
}
