/**
 * The notice of a match that is not being played: waiting for the other player, a free seat, the choice of the first
 * move, or the result.
 *
 * @import { ShownMatch } from "../match.js"
 */
import { fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { start } from "../start_match.js";
import { other, seatName } from "../player_names.js";
import { amount } from "../durations.js";
import { carry } from "./carry.js";
import { free, waiting } from "./invitation.js";
import { result } from "./sentences.js";
import { hideQr } from "./share.js";

/** @param {ShownMatch} view */
export function status(view) {
  const element = h("section.card.notice");
  const carrying = carry(view);
  let shown = "";
  let missed = false;
  let timer = 0;

  /** @param {any} error */
  const onMissed = ({ reason }) => (missed = reason === "seat-taken");

  function update() {
    const { state, followed, misere, refused } = view;
    const { phase, until, rematch, winner, players } = state;
    const { seat, lost } = followed;
    carrying.update();
    const given = [phase, until, rematch, winner, players, seat, lost, misere, refused, missed];
    const key = JSON.stringify([...given, carrying.counts()]);
    if (key === shown) return;
    shown = key;
    hideQr();
    const focused = element.contains(document.activeElement) && document.activeElement?.className;
    const content = contents();
    element.hidden = content.length === 0;
    element.className = `card notice is-${lost ? "lost" : phase}`;
    element.classList.toggle("inviting", phase === "open" && !!seat);
    if (phase === "over" && seat) element.classList.add(winner === seat ? "you-won" : "you-lost");
    fill(element, ...content);
    // A notice that changes under the keyboard keeps the focus on what took its place.
    if (focused && !element.contains(document.activeElement)) element.querySelector(".row .primary")?.focus();
  }

  function contents() {
    const { state, followed, refresh } = view;
    if (followed.lost) {
      return [h("h2", t("match.lost")), h("a.button", { href: "/", "data-go": true }, t("match.back"))];
    }
    if (state.phase === "choosing") return choosing();
    if (state.phase === "open") return followed.seat ? waiting(view) : free(view, onMissed);
    if (state.phase === "closed") {
      return [
        h("h2", t(`match.${/** @type {"expired" | "withdrawn" | "not-begun" | "stopped"} */ (state.reason)}`)),
        followed.stopped ? h("p", followed.stopped) : null,
        h("a.button.primary", { href: `/#new-${state.game}`, "data-go": true }, t("match.again")),
      ];
    }
    if (state.phase === "over") return ended();
    if (missed && !followed.seat) {
      const onclick = () => ((missed = false), refresh());
      return [
        h("h2", t("match.missed")),
        h("p", t("refused.seat-taken")),
        h("div.row", h("button", { onclick }, t("match.just_watch"))),
      ];
    }
    return [];
  }

  /** One of the players, who sees the start, chooses who moves first. */
  function choosing() {
    const { state, followed, page, refused, send } = view;
    const chooser = state.chooser ?? "joiner";
    const left = h("span.clock", { role: "timer" });
    const tick = () => {
      left.textContent = amount(Math.max(0, (state.until ?? 0) - page.connection.now()));
      if (left.isConnected) timer = setTimeout(tick, 1_000);
    };
    clearTimeout(timer);
    requestAnimationFrame(tick);
    if (followed.seat !== chooser) {
      const hint = t(followed.seat ? "choose.other_hint" : "choose.watch_hint");
      return [h("h2", t("choose.other", { name: seatName(state, chooser) })), h("p", hint, " ", left)];
    }
    const button = (/** @type {string} */ tag, /** @type {"first" | "second"} */ order) =>
      h(tag, { onclick: () => send({ type: "choose", order }) }, t(`choose.${order}`));
    return [
      h("h2", t("choose.title")),
      h("p", t("choose.hint"), " ", left),
      h("p.fault", { role: "alert" }, refused),
      h("div.row", button("button.primary.move-first", "first"), button("button.move-second", "second")),
    ];
  }

  function ended() {
    const { state, followed, page, misere, refused, refuse } = view;
    const { heading, reason } = result(followed, misere);
    const isAlone = !followed.seat || state.players[other(followed.seat)]?.kind === "former";
    return [
      h("h2", heading),
      h("p", reason),
      refused ? h("p.offer.fault", { role: "alert" }, refused) : h("p.offer", offered()),
      h("div.row", ...rematch()),
    ];

    /** The offer of a rematch, on a line of its own, so that it moves nothing else. */
    function offered() {
      const { rematch } = state;
      if (rematch?.state === "agreed") return carrying.element;
      if (rematch?.state !== "offered" || isAlone) return "";
      return rematch.by === followed.seat
        ? t("match.rematch_offered")
        : t("announce.rematch", { name: seatName(state, rematch.by) });
    }

    /** Another match: against the same bot at once, or else the form with the same game. */
    function newMatch() {
      const { game, time, learning, visibility } = state;
      const opponent = followed.seat && state.players[other(followed.seat)];
      if (opponent?.kind !== "bot") return h("a.button", { href: `/#new-${game}`, "data-go": true }, t("match.again"));
      const begin = (/** @type {any} */ { currentTarget: button }) => {
        button.disabled = true;
        const setup = { game, opponent: { bot: opponent.level }, time, learning, visibility };
        start(page, setup).catch((error) => ((button.disabled = false), refuse(error)));
      };
      return h("button.again", { onclick: begin }, t("match.again"));
    }

    function rematch() {
      const { rematch } = state;
      const again = newMatch();
      if (rematch?.state === "agreed") {
        const words = t(followed.seat ? "match.to_rematch" : "match.rematch_watch");
        const stay = carrying.counts() ? h("button", { onclick: carrying.stay }, t("match.rematch_stay")) : null;
        return [h("a.button.primary.to-rematch", { href: `/m/${rematch.next.code}`, "data-go": true }, words), stay];
      }
      if (isAlone) return [again];
      /** @type {(type: "offer-rematch" | "accept-rematch") => Promise<unknown>} */
      const send = (type) =>
        page.connection.request({ type, match: followed.match }).then(
          (accepted) => accepted.next && page.go(`/m/${accepted.next.code}`),
          // Both players offered a rematch at the same moment, so the second offer is an acceptance.
          (error) =>
            type === "offer-rematch" && error.reason === "rematch-offered" ? send("accept-rematch") : refuse(error),
        );
      const own = rematch?.by === followed.seat;
      const onclick = () => send(rematch ? "accept-rematch" : "offer-rematch");
      const words = t(rematch && !own ? "match.rematch_accept" : "match.rematch");
      return [h("button.primary", { disabled: own, onclick }, words), again];
    }
  }
  const leave = () => {
    clearTimeout(timer);
    carrying.stop();
  };
  return { element, update, leave };
}
