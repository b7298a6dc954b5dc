/**
 * A task on a picture: find moves that win.
 *
 * @import { Page } from "../../main.js"
 * @import { Child } from "../../dom/build.js"
 * @import { StudyAnswer } from "../../wire/types.js"
 */
import { h } from "../../dom/build.js";
import { Attempt } from "../../play/attempt.js";
import { reply } from "../../play/study.js";
import { settings } from "../../wire/storage.js";
import { done } from "../../words/moves.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { Bench } from "./bench.js";

/**
 * @typedef {object} Task
 * @property {string} game
 * @property {string | StudyAnswer} position
 * @property {number} [par]         the winning moves until it is solved, unless the game ends before
 * @property {string} words
 * @property {(missed: boolean) => Child[]} solved   what can be done then
 * @property {() => void} [missed]  is told of the first wrong move, or that the reader was shown one
 */

/** @type {(page: Page, task: Task) => Bench} */
export function task(page, { game, position, par, words, solved, missed }) {
  const attempt = new Attempt(page.connection, game, () => settings().confirm);
  const { study } = attempt;
  const bench = new Bench(page, study, attempt.draft);
  const help = h("button.small.show-me", { onclick: show }, t("task.show"));
  const back = h("button.primary.take-back", { onclick: takeBack }, t("task.back"));
  let isMissed = false;

  function miss() {
    if (!isMissed) missed?.();
    isMissed = true;
  }

  /** Chooses a winning move for the reader, who still plays it. */
  function show() {
    miss();
    bench.focus();
    if (study.here) bench.draft.propose(reply(study.here));
  }

  function takeBack() {
    attempt.takeBack();
    bench.focus();
  }

  /** @param {Error} error */
  const refused = (error) => bench.tell([h("span.fault", refusalText(error))], help);

  attempt.addEventListener("phase", () => {
    const { phase, tried, fault } = attempt;
    bench.free = phase === "open";
    if (fault) return refused(fault);
    if (!tried || (phase === "open" && !tried.wins)) return bench.tell([h("span", words)], help);
    const answer = { move: tried.reply ? done(tried.reply, tried.after) : "" };
    if (phase === "open") return bench.tell([h("span", t("task.on", answer))], help);
    if (tried.wins) {
      const right = h("b.is-right", t(tried.ends ? "task.won" : "task.right"));
      bench.tell([right], ...(phase === "solved" ? solved(isMissed) : []));
      return bench.focus(".question .primary");
    }
    miss();
    const wrong = h("b.is-wrong", t("task.wrong", { move: done(tried.move, tried.before) }));
    if (phase === "answering") return bench.tell([wrong]);
    bench.tell([wrong, h("span", tried.reply ? t("task.refuted", answer) : t("task.over"))], back);
    bench.focus(".take-back");
  });
  attempt.begin(position, par).catch(refused);
  const { leave } = bench;
  bench.leave = () => {
    attempt.stop();
    leave.call(bench);
  };
  return bench;
}
