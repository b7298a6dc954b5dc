/** A lesson: one step at a time, on one screen, on the pictures of the games. */
import { fill, h, set } from "../../dom/build.js";
import { looked } from "../../pictures/pictures.js";
import { Study } from "../../play/study.js";
import { knownGame } from "../../wire/catalogue.js";
import { storeOnward } from "../../wire/storage.js";
import { title } from "../../words/games.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { attempts } from "../fault.js";
import { showTitle } from "../match/calls.js";
import { playerName } from "../player_names.js";
import { playFrom } from "../start_match.js";
import { Bench, task } from "./bench.js";
import { inLanguage, lessons, progress, way } from "./parts.js";

/** More positions than this are coloured as texts. */
const PICTURES_MAX = 8;

/** @typedef {{ page: Page, lesson: Lesson, step: Step, game: string, next: () => void, following?: Lesson }} Given */

/** @type {(page: Page, name: string) => View} */
export function lesson(page, name) {
  const element = h("div.lesson", h("p.loading", t("match.loading")));
  /** @type {View | null} */
  let shown = null;

  /** @type {(lesson: Lesson, following: Lesson | undefined) => void} */
  function open(lesson, following) {
    const { steps } = lesson;
    showTitle(inLanguage(lesson.title));
    const dots = h("ol.lesson-steps.row", ...steps.map(() => h("li")));
    const words = h("p.lesson-words", { tabindex: -1 });
    const host = h("div.lesson-step");
    const back = way("/learn", t("lesson.all"), "a.lesson-back");
    const head = h("div.lesson-head.row.wrap", back, h("h1", inLanguage(lesson.title)), dots);
    fill(element, head, words, host);

    /** @param {number} at */
    function show(at) {
      const step = steps[at];
      shown?.leave?.();
      [...dots.children].forEach((dot, index) => {
        set(dot, { "aria-current": index === at ? "step" : null });
        dot.classList.toggle("is-done", index < at);
      });
      set(dots, { "aria-label": t("lesson.step", { step: at + 1, steps: steps.length }) });
      fill(words, at === 0 ? `${inLanguage(lesson.words)} ` : null, h("b", inLanguage(step.text)));
      if (at === steps.length - 1) progress(page.connection, { add: [`lesson/${lesson.name}`] }).catch(() => {});
      const next = () => {
        show(at + 1);
        words.focus({ preventScroll: true });
      };
      shown = STEPS[step.kind]({ page, lesson, step, game: step.game ?? lesson.game, next, following });
      fill(host, shown.element);
    }
    show(0);
  }

  lessons().then(
    (list) => {
      const at = list.findIndex((one) => one.name === name);
      if (!element.isConnected) return;
      const none = [h("h1", t("lesson.none")), way("/learn", t("lesson.all"), "a.button.primary")];
      if (at < 0) return fill(element, h("section.card.nothing", ...none));
      const following = list.slice(at + 1).find(({ path }) => path === list[at].path);
      open(list[at], following);
    },
    (error) => fill(element, h("p.fault", refusalText(error))),
  );
  return { element, leave: () => shown?.leave?.() };
}

/** The step that can be gone on from, at its end. @param {Given} given */
function onward({ lesson, step, next, following }) {
  if (step !== lesson.steps.at(-1)) return h("button.primary", { onclick: next }, t("lesson.next"));
  const { href, words } = goal(following);
  return way(href, words, following && "a.button.primary");
}

/** The page after a lesson. @param {Lesson | undefined} following */
function goal(following) {
  return following
    ? { href: `/learn/${following.name}`, words: t("lesson.following") }
    : { href: "/learn", words: t("lesson.all") };
}

/** The ways to show a step, by its kind. @type {Record<Step["kind"], (given: Given) => View>} */
const STEPS = {
  /** A move that is shown, and that the reader plays. */
  show(given) {
    const { page, step, game } = given;
    const move = step.move ?? "";
    const study = new Study(page.connection, game);
    const bench = new Bench(page, study);
    const again = () => {
      if (study.plies.length) study.back();
      bench.draft.propose(move);
    };
    study.addEventListener("played", () => {
      if (study.plies[0]?.move !== move) return again();
      bench.free = false;
      bench.tell([h("b.is-right", t("lesson.shown"))], onward(given));
      bench.focus(".question .primary");
    });
    const choose = h("button.small", { onclick: again }, t("task.show"));
    study.set(step.position).then(again, (error) => bench.tell([refusalText(error)]));
    bench.tell([t("lesson.show")], choose);
    return bench;
  },

  find(given) {
    const { page, step, game } = given;
    const { position, par = 1 } = step;
    const words = t(par > 1 ? "task.win" : "task.find", { par });
    return task(page, { game, position, par, words, solved: () => [onward(given)] });
  },

  /** Positions, of which the lost ones are to be marked. */
  colour(given) {
    const { positions = [], lost = [] } = given.step;
    /** @type {Set<string>} */
    const marked = new Set();
    const told = h("p.bar-text", { role: "status" }, t("colour.what"));
    const check = h("button.primary", { onclick: judge }, t("colour.check"));
    const act = h("div.row.wrap.question", check);
    const cards = positions.map((position) => card(given.game, position, positions.length <= PICTURES_MAX, marked));
    const element = h("div.bench.colour", h("div.colour-cards", ...cards), h("div.bar", told, act));
    function judge() {
      const wrong = positions.filter((position) => marked.has(position) !== lost.includes(position));
      cards.forEach((card, index) => card.classList.toggle("is-wrong", wrong.includes(positions[index])));
      const words = wrong.length ? t("colour.wrong", { count: wrong.length }) : t("colour.right");
      fill(told, h(wrong.length ? "b.is-wrong" : "b.is-right", words));
      if (wrong.length) return;
      for (const card of cards) card.disabled = true;
      fill(act, onward(given));
      /** @type {HTMLElement} */ (act.firstElementChild)?.focus();
    }
    return { element };
  },

  /** A match against a bot from a position. */
  match(given) {
    const { page, step, game } = given;
    const fault = attempts();
    const level = step.level ?? "novice";
    const rest = onward({ ...given, next: () => {} });
    const play = () =>
      fault.run(async () => {
        const match = await playFrom(page, game, step.position, level, { learning: true });
        storeOnward({ match, ...goal(given.following) });
      });
    const name = playerName({ kind: "bot", level });
    const button = h("button.primary", { onclick: play }, t("lesson.play", { name, game: title(knownGame(game)) }));
    const frame = looked(game, step.position);
    const words = h("p.bar-text", h("b", t("lesson.done")));
    rest.classList.remove("primary");
    const element = h("div.bench", frame, h("div.bar", words, h("div.row.wrap.question", rest, button)), fault.element);
    return { element };
  },
};

/** @type {(game: string, position: string, pictured: boolean, marked: Set<string>) => any} */
function card(game, position, pictured, marked) {
  const mark = h("b.colour-mark", t("colour.won"));
  const onclick = () => {
    if (!marked.delete(position)) marked.add(position);
    const isLost = marked.has(position);
    set(element, { "aria-pressed": String(isLost) });
    element.classList.remove("is-wrong");
    fill(mark, t(isLost ? "colour.lost" : "colour.won"));
  };
  const shown = [pictured && looked(game, position), h("code", position), mark];
  const tag = `button.game.colour-card${pictured ? "" : ".is-text"}`;
  const element = h(tag, { onclick, "aria-pressed": "false" }, shown);
  return element;
}
