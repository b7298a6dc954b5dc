/** A puzzle, named by its address: the game, the simplest idea that wins, and the seed. Missed ones are listed. */
import { choice, fill, h } from "../../dom/build.js";
import { gradesOf, knownGame } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { refusalText } from "../../words/refused.js";
import { maybe, t } from "../../words/words.js";
import { attempts } from "../fault.js";
import { analysisOf, playFrom } from "../start_match.js";
import { ANY, frame, gameChoice, ideaTitle, progress, puzzleOf, way } from "./parts.js";
import { task } from "./bench.js";

/** @type {(page: Page, ...names: string[]) => View} */
export function puzzle(page, ...[game, grade, seed]) {
  const { connection } = page;
  const name = `missed/${game}/${grade}/${seed}`;
  const games = gameChoice("puzzle-game", game);
  const grades = choice("puzzle-grade", t("puzzle.grade"), [[ANY, t("puzzle.any")]], ANY);
  const host = h("div.lesson-step");
  const words = h("p.lesson-words", h("b", t("puzzle.what")));
  const missed = h("details.panel.missed", { hidden: true });
  const fault = attempts();
  const choose = h("div.row.wrap.puzzle-choice", games.element, grades.element);
  games.list.addEventListener("change", () => page.go(puzzleOf(games.list.value, kept(games.list.value))));
  grades.list.addEventListener("change", () => page.go(puzzleOf(game, grades.list.value)));
  const element = frame("puzzle", h("h1.unseen", t("learn.to_puzzle")), choose, words, host, fault.element, missed);
  /** @type {import("./bench.js").Bench | null} */
  let shown = null;

  /** Returns the grade for another game, if that game has puzzles of it. @param {string} game */
  function kept(game) {
    return gradesOf(game).includes(grade) ? grade : ANY;
  }

  /** Offers the grades that the game has. */
  function offerGrades() {
    const ideas = gradesOf(game).map((id) => h("option", { value: id, selected: id === grade }, ideaTitle(id)));
    fill(grades.list, h("option", { value: ANY }, t("puzzle.any")), ...ideas);
  }

  /** @param {StudyAnswer} position */
  function open(position) {
    const next = () => page.go(puzzleOf(game, grade));
    const play = () => fault.run(() => playFrom(page, game, position.position));
    shown = task(page, {
      game,
      position,
      words: t("task.find"),
      missed: () => keep({ add: [name] }),
      solved(isMissed) {
        if (!isMissed) keep({ remove: [name] });
        tellIdea(position.needed ?? "");
        return [
          h("button.primary.next-puzzle", { onclick: next }, t("puzzle.next")),
          h("button", { onclick: play }, t("recorder.play_on")),
          way(analysisOf(game, position.position), t("learn.to_analyse")),
        ];
      },
    });
    fill(host, shown.element);
  }

  /** Tells what the puzzle needed. @param {string} needed */
  function tellIdea(needed) {
    fill(words, t("puzzle.needs"), " ", h("b", `${ideaTitle(needed)}.`), " ", maybe(`idea_words.${needed}`));
  }

  /** @param {{ add?: string[], remove?: string[] }} [change] */
  function keep(change) {
    progress(connection, change).then(list, () => {});
  }

  /** Shows the missed ones. @param {string[]} marks */
  function list(marks) {
    const found = marks.filter((mark) => mark.startsWith("missed/"));
    missed.hidden = !found.length;
    const rows = found.map((mark) => {
      const [, game, grade, seed] = mark.split("/");
      const idea = grade === ANY ? t("puzzle.any") : ideaTitle(grade);
      const link = way(`/puzzle/${game}/${grade}/${seed}`, `${title(knownGame(game))} · ${idea} · ${seed}`, "a");
      const forget = t("puzzle.forget");
      const given = { onclick: () => keep({ remove: [mark] }), "aria-label": `${forget}: ${game} ${seed}` };
      return h("li.row", link, h("button.small", given, forget));
    });
    fill(missed, h("summary", h("h2", t("puzzle.missed", { count: found.length }))), h("ul", ...rows));
  }

  const wanted = { game, seed: Number(seed), ...(grade !== ANY && { grade }) };
  connection.request({ type: "puzzle", ...wanted }).then(
    (answer) => element.isConnected && open(answer),
    (error) =>
      fill(host, h("div.card.nothing", h("p", { role: "alert" }, refusalText(error)), h("p", t("puzzle.none")))),
  );
  games.known.then(() => (offerGrades(), keep())).catch(() => {});
  return { element, leave: () => shown?.leave() };
}
