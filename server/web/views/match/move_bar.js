/**
 * The bar below the picture: the chosen move, its result and the button that plays it, or a question that needs an
 * answer (a takeback, an absent opponent). It always takes the same place, so that nothing moves.
 */
import { announce } from "../../dom/announce.js";
import { changes, fill, h } from "../../dom/build.js";
import { refusalText } from "../../words/refused.js";
import { doing } from "../../words/moves.js";
import { maybe, t } from "../../words/words.js";
import { other, seatName } from "../player_names.js";
import { amount } from "../durations.js";
import { unread, wordsOf } from "./chat_lines.js";
import { later } from "./later.js";
import { moveSentence, story } from "./sentences.js";

/** @param {ShownMatch} view */
export function moveBar(view) {
  const text = h("p.bar-text");
  const play = h("button.primary", { onclick: then(() => view.draft.confirm()) }, t("choice.play"));
  const cancel = h("button", { onclick: then(() => view.draft.clear()) }, t("choice.cancel"));
  const answers = h("div.row.question");
  const meaning = { role: "region", "aria-label": t("choice.play") };
  const help = later(view, ({ hints }) => hints(view, cancel, () => busy));
  const choices = h("div.row", cancel, play);
  const element = h("div.bar", meaning, text, choices, answers, help.element);
  let busy = false;
  let timer = 0;
  let announced = "";
  const isOtherText = changes();
  const isOtherQuestion = changes();

  /** Returns the focus to the picture, because both buttons disappear. @param {() => void} act */
  function then(act) {
    return () => {
      element.closest(".table")?.querySelector(".stage")?.focus({ preventScroll: true });
      act();
    };
  }

  function update() {
    const { draft, chooses, followed, state, trial, note, refused } = view;
    const chosen = chooses && !!draft.move;
    const words = chosen ? chosenWords() : "";
    clearTimeout(timer);
    const refusal = draft.refusal ? refusalText(draft.refusal) : refused;
    const question = chosen || draft.refusal ? null : (tried() ?? takeback() ?? absence());
    ask(question);
    element.classList.toggle("has-question", !!question || (!!note && !chosen && !refusal));
    element.classList.toggle("chosen", chosen);
    element.classList.toggle("fault", !!refusal);
    element.hidden = (state.phase !== "playing" && !trial) || followed.lost;
    busy = chosen || !!question;
    help.update();
    play.hidden = cancel.hidden = !chosen;
    play.disabled = cancel.disabled = draft.sending;
    if (refusal) tell("", refusal);
    else if (question) tell("span", question.words);
    else if (chosen) tell("b", words, outcome(), draft.move);
    else tell("", hint());
    const said = draft.sending ? delayed() : t("announce.chosen", { move: words });
    tellOnce(refusal || (chosen ? said : ""), !!refusal);
  }

  /** @type {(said: string, urgent: boolean) => void} */
  function tellOnce(said, urgent) {
    if (said && said !== announced) announce(said, urgent);
    announced = said;
  }

  /** The chosen move in words. */
  function chosenWords() {
    const { draft, trial, state } = view;
    return doing(draft.move ?? "", trial?.attempt.study.here?.position ?? state.position);
  }

  /** @param {{ key: string, words: string, buttons: () => HTMLElement[] } | null} question */
  function ask(question) {
    view.claim = question?.key === "claim" ? question.words : "";
    if (!isOtherQuestion(question?.key)) return;
    fill(answers, ...(question?.buttons() ?? []));
    answers.querySelector(".take-back")?.focus({ preventScroll: true });
  }

  /** What the chosen move leads to; one that was sent is not known to be played. */
  function outcome() {
    const { draft, page } = view;
    if (draft.sending) return page.connection.open ? delayed() || t("choice.sending") : t("choice.not_played");
    if (view.note) return view.note;
    return draft.ghost ? t(draft.over ? "choice.ends" : "choice.leads") : "";
  }

  /** What happens to a move that the server has not taken yet. */
  function delayed() {
    const reason = view.page.connection.requests.delayOf(view.followed.match);
    return reason ? (maybe(`delayed.${reason}`) ?? t("delayed.busy")) : "";
  }

  /** What was done last, and whose turn it is. */
  function hint() {
    const { note, mine, followed, live, ply, state, trial } = view;
    if (trial) return trial.words;
    if (note) return note;
    const line = unread(followed) && followed.chat.at(-1);
    if (line) return h("p", ...wordsOf(view, line)).textContent ?? "";
    // The answer to a blunder may come at once.
    const blunder = [ply - 1, ply].some((recent) => view.review.turns(recent));
    const last = [moveSentence(followed, ply), blunder ? story("blunder", view) : ""].join(" ").trim();
    if (!live || !state.turn) return last;
    if (!mine) return `${last} ${t("choice.hint_wait", { name: seatName(state, state.turn) })}`.trim();
    if (last) return `${last} ${t("announce.your_turn")}`;
    return `${story("start", view)} ${t("choice.hint")}`.trim();
  }

  /**
   * Shows words, as an element of its own if a tag is given, and quiet ones after them; the tooltips are notation.
   * @type {(tag: "" | "span" | "b", words: string, quiet?: string, move?: string | null) => void}
   */
  function tell(tag, words, quiet, move) {
    const after = view.draft.ghost;
    if (!isOtherText(tag, words, quiet, move, after)) return;
    fill(
      text,
      tag ? h(tag, { title: move }, words) : words,
      quiet === undefined ? null : h("span.quiet", { title: after }, quiet),
    );
  }

  /** A move that was tried, and the reply to it, until both are taken back. */
  function tried() {
    if (!view.trial?.waits) return null;
    const onclick = then(() => view.trial?.takeBack());
    const buttons = () => [h("button.primary.take-back", { onclick }, t("task.back"))];
    return { key: "tried", words: view.trial.words, buttons };
  }

  /** The opponent's offer of a takeback, or the wait for the answer to one's own. */
  function takeback() {
    const { state, followed, send } = view;
    const { takeback: by } = state;
    if (state.phase !== "playing" || !by || !followed.seat) return null;
    if (by === followed.seat) {
      return { key: "waits", words: t("takeback.waits", { name: seatName(state, other(by)) }), buttons: () => [] };
    }
    const button = (/** @type {"no" | "yes"} */ word) => {
      const onclick = () => send({ type: "answer-takeback", agree: word === "yes" });
      return h(`button.${word}`, { onclick }, t(`takeback.${word}`));
    };
    const words = t("takeback.wanted", { name: seatName(state, by) });
    return { key: "takeback", words, buttons: () => [button("no"), button("yes")] };
  }

  /** The absence of the opponent, which may end the match. */
  function absence() {
    const { state, followed, page, refresh, send } = view;
    if (state.phase !== "playing" || !followed.seat) return null;
    const opponent = other(followed.seat);
    const since = followed.away.get(opponent);
    if (since === undefined || state.grace_ms === undefined) return null;
    const [name, left] = [seatName(state, opponent), since + state.grace_ms - page.connection.now()];
    // Before a first move a claim ends the match without a winner.
    const closes = state.first_move_until !== undefined;
    if (left > 0) {
      // The countdown is not shown on the viewer's own turn.
      timer = setTimeout(refresh, Math.min(left, 1_000));
      return state.turn === followed.seat
        ? null
        : {
            key: "away",
            words: t(`away.wait${closes ? "_end" : ""}`, { name, time: amount(left) }),
            buttons: () => [],
          };
    }
    return {
      key: "claim",
      words: t(closes ? "away.end" : "away.claim", { name }),
      buttons: () => [
        h("button.claim", { onclick: () => send({ type: "claim" }) }, t(closes ? "away.end_it" : "away.claim_it")),
      ],
    };
  }

  return { element, update, leave: () => clearTimeout(timer) };
}
