/**
 * The explanation of one position as a table of binary columns and sentences. Steps of unknown kinds are shown with
 * their plain values.
 *
 * @import { Analysis, ExplanationStep, PartKey, UnknownReason } from "../../wire/types.js"
 */
import { fill, h } from "../../dom/build.js";
import { LegalMoves } from "../../play/legal_moves.js";
import { title } from "../../words/games.js";
import { maybe, t } from "../../words/words.js";

const MOVES_SHOWN = 12;

/**
 * Shows an analysis in `host`.
 * @type {(host: HTMLElement, analysis: Analysis, props: import("../match.js").MatchProps) => void}
 */
export function showExplanation(host, analysis, props) {
  const { outcome, nimber, unknown, steps, winning, complete } = analysis;
  const moves = new LegalMoves(winning).list(MOVES_SHOWN);
  const key = `${analysis.version}:${props.mine}`;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const isOver = steps.some(({ step }) => step === "finished");
  const verdict =
    outcome === "N"
      ? t(isOver ? "analysis.over_won" : "analysis.won")
      : outcome === "P"
        ? t(isOver ? "analysis.over_lost" : "analysis.lost")
        : t("analysis.unknown", { why: unknownReason(unknown) });
  fill(
    host,
    h(
      `p.verdict.is-${outcome ?? "unknown"}`,
      verdict,
      nimber === undefined || nimber === null ? null : h("b", ` ${t("analysis.nimber")} ${nimber}`),
    ),
    ...columns(steps),
    outcome === "N" && !isOver
      ? h(
          "div",
          h("h3", t("analysis.winning")),
          h(
            "div.row.wrap",
            ...moves.map((move) =>
              props.mine
                ? h("button.small.winning", { onclick: () => props.draft.propose(move) }, move)
                : h("span.chip.winning", move),
            ),
            complete && moves.length < MOVES_SHOWN ? null : h("span.quiet", t("analysis.winning_more")),
          ),
        )
      : null,
    h(
      "ul.steps",
      ...steps
        .map((step) => sentence(step, steps))
        .filter((words) => words !== null)
        .map((words) => h("li", words)),
    ),
  );
}

/** Returns the table of binary columns, if the steps have parts and their xor. @param {ExplanationStep[]} steps */
function columns(steps) {
  const parts = steps.filter(({ step }) => step === "part");
  const xor = steps.find(({ step }) => step === "xor");
  if (!parts.length || !xor) return [];
  const bits = Math.max(1, ...parts.map(({ nimber }) => width(nimber)), width(xor.total));
  /** @param {number} value */
  const digits = (value) =>
    value
      .toString(2)
      .padStart(bits, "0")
      .split("")
      .map((digit) => h(`td.bit${digit === "1" ? ".one" : ""}`, digit));
  return [
    h(
      "div.binary-frame",
      { tabindex: 0, role: "group", "aria-label": t("analysis.binary") },
      h(
        "table.binary",
        h("caption", t("analysis.xor")),
        h(
          "thead",
          h(
            "tr",
            h("th", { scope: "col" }, t("analysis.part")),
            h("th", { scope: "col" }, t("analysis.size")),
            h("th", { scope: "col" }, t("analysis.nimber")),
            h("th", { scope: "col", colspan: bits }, t("analysis.binary")),
          ),
        ),
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

/** @param {number} value */
function width(value) {
  return value.toString(2).length;
}

/**
 * Returns the name of a part of a position. A kind without a text is shown by its key and its numbers.
 * @param {PartKey} key
 */
function partName({ kind, ...numbers }) {
  return maybe(`part.${kind}`, numbers) ?? [kind, ...Object.values(numbers)].join(" ");
}

/** Returns the reason why a value is unknown. @param {UnknownReason | undefined} unknown */
export function unknownReason(unknown) {
  if (unknown?.reason !== "past-table") return unknown?.reason === "misere" ? t("unknown.misere") : "?";
  const { index, size, bound } = unknown;
  return t("unknown.past_table", { what: maybe(`index.${index}`) ?? index, size, bound });
}

/** @param {{ value: number }[]} terms */
function sum(terms) {
  return terms.map(({ value }) => value).join(" + ");
}

/**
 * Returns a step as a sentence; `null` if it is shown in another way.
 * @type {(step: ExplanationStep, all: ExplanationStep[]) => string | null}
 */
function sentence(step, all) {
  switch (step.step) {
    case "part":
      return all.some(({ step }) => step === "xor")
        ? null
        : `${partName(step.part)} ${step.size}: ${t("analysis.nimber")} ${step.nimber}`;
    case "xor":
    case "winning":
      return null;
    case "reply":
      return t("analysis.reply", { move: step.move, part: partName(step.part), from: step.from, to: step.to });
    case "block":
      return t(step.period ? "step.block_period" : "step.block", { ...step, name: partName(step.part) });
    case "residue":
      return t("step.residue", { terms: sum(step.terms), modulus: step.modulus, residue: step.residue });
    case "condition":
      return t(step.value === step.wanted ? "step.condition_holds" : "step.condition_fails", {
        ...step,
        name: maybe(`condition.${step.condition}`) ?? step.condition,
      });
    case "contracted": {
      const vertex = step.vertex === 0 ? t("step.ground") : t("step.vertex", { vertex: step.vertex });
      const bridges =
        step.bridges.map((/** @type {{ value: number }} */ { value }) => value).join(", ") || t("step.none");
      return t("step.contracted", { vertex, edges: step.edges, bridges, nimber: step.nimber });
    }
    case "component":
      return t("step.component", {
        number: step.number,
        game: title({ id: step.game }),
        position: step.position,
        nimber: step.nimber ?? `? (${unknownReason(step.unknown)})`,
      });
    case "unknown":
      return t("step.part_unknown", { ...step, name: partName(step.part), why: unknownReason(step.why) });
    case "zeckendorf":
      return t("step.zeckendorf", { coins: step.coins, parts: step.parts.join(" + "), quota: step.quota });
    case "tail":
      return step.next === null ? t("step.tail_all", { move: step.move }) : t("step.tail", step);
    case "cold-pair":
      return t(step.move ? "step.cold_pair_move" : "step.cold_pair", step);
    case "lost": {
      // An xor of 0 decides where nothing follows from it, and not in misère play.
      const decides = all[all.indexOf(step) - 1]?.step === "xor" && !all.some(({ step }) => step === "big-heaps");
      return t(decides ? "analysis.step_lost" : "step.lost_plain");
    }
    case "finished":
      return t("analysis.step_finished");
    default:
      return maybe(`step.${step.step.replaceAll("-", "_")}`, step) ?? plain(step);
  }
}

/** Returns a step of an unknown kind as its plain values. @param {ExplanationStep} step */
function plain({ step, ...values }) {
  const fields = Object.entries(values).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return `${step.replaceAll(/[-_]/g, " ")}${fields.length ? `: ${fields.join(", ")}` : ""}`;
}
