/** The notice of a match that is not played: waiting, a free seat, the choice of the first move. */
import { changes, fill, h } from "../../dom/build.js";
import { t } from "../../words/words.js";
import { seatName } from "../player_names.js";
import { amount } from "../durations.js";
import { free, waiting } from "./invitation.js";
import { hideQr } from "./share.js";

/** @param {ShownMatch} view */
export function status(view) {
  const element = h("section.card.notice");
  const isOther = changes();
  let missed = false;
  let timer = 0;

  /** @param {any} error */
  const onMissed = ({ reason }) => (missed = reason === "seat-taken");

  function update() {
    const { state, followed, refused } = view;
    const { phase, until, players } = state;
    const { seat, lost } = followed;
    // The sheet of an invitation names nobody: a new name leaves what is typed and chosen in it alone.
    const named = phase === "open" && seat ? null : players;
    if (!isOther(phase, until, named, seat, lost, refused, missed)) return;
    hideQr();
    const focused = element.contains(document.activeElement) && document.activeElement?.className;
    const content = contents();
    element.hidden = content.length === 0;
    element.className = `card notice is-${lost ? "lost" : phase}`;
    element.classList.toggle("inviting", phase === "open" && !!seat);
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
    if (state.phase === "over") return [];
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

  return { element, update, leave: () => clearTimeout(timer) };
}
