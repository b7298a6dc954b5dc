/** The explanation of one position: lamps and sentences, and below in the language of the theory. */
import { fill, h } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { knownGame } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { doing } from "../../words/moves.js";
import { maybe, t } from "../../words/words.js";
import { lamps, partName } from "./lamps.js";

const MOVES_SHOWN = 12;

/** The steps that need no theory to be read; the others stand in the fold. */
const PLAIN = new Set(["big-heaps", "set-aside", "tail", "cold-pair", "leaves", "condition", "unknown", "finished"]);
const TERMS = ["N", "P", "nimber", "xor", "mex"];
/** What each host shows. @type {WeakMap<HTMLElement, string>} */
const shown = new WeakMap();

/**
 * Shows what an analysis, or an answer about any position, says. A winning move is a button where `choose` plays it.
 * @type {(host: HTMLElement, answer: Omit<Analysis, "version">, game: string, choose?: (move: string) => void) => void}
 */
export function showExplanation(host, answer, game, choose) {
  const { outcome, steps, position, best, options, needed } = answer;
  const key = JSON.stringify([game, position, outcome, !!choose]);
  if (shown.get(host) === key) return;
  shown.set(host, key);
  const isOver = steps.some(({ step }) => step === "finished");
  const verdict = outcome
    ? t(/** @type {Word} */ (`analysis.${isOver ? "over_" : ""}${outcome === "N" ? "won" : "lost"}`))
    : t("analysis.unknown", { why: unknownReason(answer.unknown) });
  const adds = steps.some(({ step }) => step === "xor");
  const plain = steps
    .filter(({ step }) => PLAIN.has(step) || (step === "lost" && !adds))
    .map((step) => sentence(step, steps));
  fill(
    host,
    h("p.verdict", verdict),
    isOver ? null : lamps(steps, { game, position, best, options }),
    plain.length > 0 && h("ul.steps", ...plain.map((words) => words !== null && h("li", words))),
    steps.some(({ step }) => step === "condition") && h("p.quiet", t("theory.conditions")),
    outcome === "N" && !isOver ? winningMoves(answer, choose) : null,
    needed ? h("p.quiet", t("analysis.needed", { idea: ideaName(needed) })) : null,
    theory(answer),
  );
}

/** Returns the name of an idea that finds winning moves. @param {string} idea */
export function ideaName(idea) {
  return maybe(`idea.${idea}`) ?? idea;
}

/** @type {(answer: Omit<Analysis, "version">, choose?: (move: string) => void) => HTMLElement} */
function winningMoves({ winning, complete, position }, choose) {
  const moves = new LegalMoves(winning).list(MOVES_SHOWN);
  const shown = moves.map((move) => {
    const words = doing(move, position);
    if (choose) return h("button.small.winning", { onclick: () => choose(move), title: move }, words);
    return h("span.chip.winning", { title: move }, words);
  });
  const more = complete && moves.length < MOVES_SHOWN ? null : h("span.quiet", t("analysis.winning_more"));
  return h("div", h("h3", t("analysis.winning")), h("div.row.wrap", ...shown, more));
}

/** The same argument in the language of the theory. @param {Omit<Analysis, "version">} answer */
function theory({ outcome, nimber, steps, options, too_much_work: leftOut }) {
  const value = typeof nimber === "number" ? `${t("analysis.nimber")} ${nimber}` : "";
  const sentences = steps.map((step) => sentence(step, steps)).filter((words) => words !== null);
  return h(
    "details.theory",
    h("summary", t("analysis.theory")),
    h("p", h("b", [outcome, value].filter(Boolean).join(" · "))),
    options ? optionSets(options) : null,
    leftOut?.length ? h("p.quiet", t("theory.left_out")) : null,
    sentences.length > 0 && h("ul.steps", ...sentences.map((words) => h("li", words))),
    h("dl", ...TERMS.flatMap((term) => [h("dt", term), h("dd", t(/** @type {Word} */ (`theory.${term}`)))])),
  );
}

/** The values that each family of moves leads to, as sets. @param {Options} options */
function optionSets({ families, mex }) {
  const set = (/** @type {number[]} */ values, complete = true) => `{${values.join(", ")}${complete ? "" : ", …"}}`;
  const rows = families.map(({ moves, values, complete }) =>
    h("tr", h("th", { scope: "row" }, h("code", moves)), h("td", set(values, complete))),
  );
  const all = [...new Set(families.flatMap(({ values }) => values))].sort((one, other) => one - other);
  const total = mex === undefined ? null : h("p", `mex ${set(all)} = ${mex}`);
  return h("div", h("table.option-sets", h("caption", t("theory.options")), h("tbody", ...rows)), total);
}

/** Returns the reason why a value is unknown. @param {UnknownReason | undefined} unknown */
export function unknownReason(unknown) {
  if (unknown?.reason === "too-much-work") return t("unknown.too_much_work");
  if (unknown?.reason !== "past-table") return unknown?.reason === "misere" ? t("unknown.misere") : "?";
  const { index, size, bound } = unknown;
  return t("unknown.past_table", { what: maybe(`index.${index}`) ?? index, size, bound });
}

/** Returns what the sentence about a step may say, as texts. @param {ExplanationStep} step */
function valuesOf(step) {
  const why = unknownReason(step.why ?? step.unknown);
  const list = (/** @type {{ value: number }[]} */ terms = [], between = "") =>
    terms.map(({ value }) => value).join(between);
  return {
    ...step,
    why,
    move: step.move && doing(step.move),
    part: step.part && partName(step.part),
    name: step.part ? partName(step.part) : (maybe(`condition.${step.condition}`) ?? step.condition),
    terms: list(step.terms, " + "),
    bridges: list(step.bridges, ", ") || t("step.none"),
    vertex: step.vertex === 0 ? t("step.ground") : t("step.vertex", { vertex: step.vertex }),
    game: step.game && title(knownGame(step.game)),
    nimber: step.nimber ?? `? (${why})`,
    parts: step.parts?.join(" + "),
  };
}

/** The words of steps that are not named like their kind. @type {Record<string, (step: ExplanationStep) => Word>} */
const WORDS = {
  reply: () => "analysis.reply",
  block: ({ period }) => (period ? "step.block_period" : "step.block"),
  condition: ({ value, wanted }) => (value === wanted ? "step.condition_holds" : "step.condition_fails"),
  unknown: () => "step.part_unknown",
  tail: ({ next }) => (next === undefined ? "step.tail_all" : "step.tail"),
  "cold-pair": ({ move }) => (move ? "step.cold_pair_move" : "step.cold_pair"),
  finished: () => "analysis.step_finished",
};

/** Null: it is shown in another way. @type {(step: ExplanationStep, all: ExplanationStep[]) => string | null} */
function sentence(step, all) {
  const values = valuesOf(step);
  const has = (/** @type {string} */ kind) => all.some(({ step }) => step === kind);
  if (step.step === "xor" || step.step === "winning" || (step.step === "part" && has("xor"))) return null;
  if (step.step === "part") return `${values.name} ${step.size}: ${t("analysis.nimber")} ${step.nimber}`;
  if (step.step === "lost") {
    // An xor of 0 decides where nothing follows from it, and not in misère play.
    const decides = all[all.indexOf(step) - 1]?.step === "xor" && !has("big-heaps");
    return t(decides ? "analysis.step_lost" : "step.lost_plain");
  }
  const word = WORDS[step.step]?.(step) ?? `step.${step.step.replaceAll("-", "_")}`;
  return maybe(word, values) ?? plain(step);
}

/** Returns a step of an unknown kind as its plain values. @param {ExplanationStep} step */
function plain({ step, ...values }) {
  const fields = Object.entries(values).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return `${step.replaceAll(/[-_]/g, " ")}${fields.length ? `: ${fields.join(", ")}` : ""}`;
}
