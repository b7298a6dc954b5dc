/**
 * The explanation of one position as a table of binary columns and sentences. Steps of unknown kinds are shown with
 * their plain values.
 *
 * @import { Analysis, ExplanationStep, PartKey, UnknownReason } from "../../wire/types.js"
 * @import { Word } from "../../words/words.js"
 */
import { fill, h } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { title } from "../../words/games.js";
import { doing } from "../../words/moves.js";
import { maybe, t } from "../../words/words.js";

const MOVES_SHOWN = 12;

/** @type {(host: HTMLElement, analysis: Analysis, view: import("../match.js").ShownMatch) => void} */
export function showExplanation(host, analysis, view) {
  const { outcome, nimber, unknown, steps, winning, complete } = analysis;
  const moves = new LegalMoves(winning).list(MOVES_SHOWN);
  const position = view.followed.position(view.ply);
  const key = `${analysis.version}:${view.mine}`;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const isOver = steps.some(({ step }) => step === "finished");
  const verdict =
    outcome === "N"
      ? t(isOver ? "analysis.over_won" : "analysis.won")
      : outcome === "P"
        ? t(isOver ? "analysis.over_lost" : "analysis.lost")
        : t("analysis.unknown", { why: unknownReason(unknown) });
  const value = typeof nimber === "number" && h("b", ` ${t("analysis.nimber")} ${nimber}`);
  const sentences = steps.map((step) => sentence(step, steps));
  fill(
    host,
    h("p.verdict", verdict, value),
    ...columns(steps),
    outcome === "N" && !isOver
      ? h(
          "div",
          h("h3", t("analysis.winning")),
          h(
            "div.row.wrap",
            ...moves.map((move) =>
              view.mine
                ? h(
                    "button.small.winning",
                    { onclick: () => view.draft.propose(move), title: move },
                    doing(move, position),
                  )
                : h("span.chip.winning", { title: move }, doing(move, position)),
            ),
            complete && moves.length < MOVES_SHOWN ? null : h("span.quiet", t("analysis.winning_more")),
          ),
        )
      : null,
    h("ul.steps", ...sentences.map((words) => words !== null && h("li", words))),
  );
}

/** Returns the table of binary columns, if the steps have parts and their xor. @param {ExplanationStep[]} steps */
function columns(steps) {
  const parts = steps.filter(({ step }) => step === "part");
  const xor = steps.find(({ step }) => step === "xor");
  if (!parts.length || !xor) return [];
  const bits = Math.max(...parts.map(({ nimber }) => nimber), xor.total).toString(2).length;
  /** @param {number} value */
  const digits = (value) =>
    [...value.toString(2).padStart(bits, "0")].map((digit) => h(`td.bit${digit === "1" ? ".one" : ""}`, digit));
  const words = /** @type {const} */ (["analysis.part", "analysis.size", "analysis.nimber"]);
  const heads = words.map((word) => h("th", { scope: "col" }, t(word)));
  return [
    h(
      "div.binary-frame",
      { tabindex: 0, role: "group", "aria-label": t("analysis.binary") },
      h(
        "table.binary",
        h("caption", t("analysis.xor")),
        h("thead", h("tr", ...heads, h("th", { scope: "col", colspan: bits }, t("analysis.binary")))),
        h(
          "tbody",
          ...parts.map(({ part, size, nimber }) =>
            h("tr", h("th", { scope: "row" }, partName(part)), h("td", size), h("td", nimber), ...digits(nimber)),
          ),
        ),
        h("tfoot", h("tr", h("th", { scope: "row", colspan: 2 }, "⊕"), h("td", xor.total), ...digits(xor.total))),
      ),
    ),
  ];
}

/** A kind without a text is shown by its key and its numbers. @param {PartKey} key */
function partName({ kind, ...numbers }) {
  return maybe(`part.${kind}`, numbers) ?? [kind, ...Object.values(numbers)].join(" ");
}

/** Returns the reason why a value is unknown. @param {UnknownReason | undefined} unknown */
export function unknownReason(unknown) {
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
    game: step.game && title({ id: step.game }),
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
