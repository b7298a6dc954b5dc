/**
 * One analysis as a table of binary columns and sentences. Kinds of steps that came after this page are shown as the
 * values they carry.
 *
 * @typedef {import("../../wire/types.js").Analysis} Analysis
 * @typedef {import("../../wire/types.js").Step} Step
 */
import { fill, h } from "../../dom/build.js";
import { Legal } from "../../play/legal.js";
import { t } from "../../words/words.js";

const MOVES_SHOWN = 12;

/**
 * @param {HTMLElement} host
 * @param {Analysis} analysis
 * @param {import("../match.js").Table} table
 */
export function explained(host, analysis, table) {
  const { outcome, nimber, unknown, steps, winning, complete } = analysis;
  const moves = new Legal(winning).list(MOVES_SHOWN);
  const key = `${analysis.version}:${table.mine}`;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const verdict = outcome === "N" ? t("analysis.won") : outcome === "P" ? t("analysis.lost") : t("analysis.unknown", { why: unknown ?? "" });
  fill(
    host,
    h(`p.verdict.is-${outcome ?? "unknown"}`, null, verdict, nimber === undefined || nimber === null ? null : h("b", null, ` ${t("analysis.nimber")} ${nimber}`)),
    ...columns(steps),
    outcome === "N"
      ? h("div", null, h("h3", null, t("analysis.winning")), h("div.row.wrap", null, ...moves.map((move) => (table.mine ? h("button.small.winning", { type: "button", onclick: () => table.choice.propose(move) }, move) : h("span.chip.winning", null, move))), complete && moves.length < MOVES_SHOWN ? null : h("span.quiet", null, t("analysis.winning_more"))))
      : null,
    h("ul.steps", null, ...steps.map(sentence).filter((words) => words !== null).map((words) => h("li", null, words))),
  );
}

/** @param {Step[]} steps */
function columns(steps) {
  const parts = steps.filter(({ step }) => step === "part");
  const xor = steps.find(({ step }) => step === "xor");
  if (!parts.length || !xor) return [];
  const bits = Math.max(1, ...parts.map(({ nimber }) => width(nimber)), width(xor.total));
  /** @param {number} value */
  const digits = (value) =>
    value.toString(2).padStart(bits, "0").split("").map((digit) => h(`td.bit${digit === "1" ? ".one" : ""}`, null, digit));
  return [
    h(
      "div.binary-frame",
      { tabindex: 0, role: "group", "aria-label": t("analysis.binary") },
      h(
        "table.binary",
        null,
        h("caption", null, t("analysis.xor")),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("analysis.part")), h("th", { scope: "col" }, t("analysis.size")), h("th", { scope: "col" }, t("analysis.nimber")), h("th", { scope: "col", colspan: bits }, t("analysis.binary")))),
        h("tbody", null, ...parts.map(({ name, size, nimber }) => h("tr", null, h("th", { scope: "row" }, name), h("td", null, size), h("td", null, nimber), ...digits(nimber)))),
        h("tfoot", null, h("tr", null, h("th", { scope: "row", colspan: 2 }, "⊕"), h("td", null, xor.total), ...digits(xor.total))),
      ),
    ),
  ];
}

/** @param {number} value */
function width(value) {
  return value.toString(2).length;
}

/**
 * @param {Step} step
 * @returns {string | null}
 */
function sentence(step) {
  switch (step.step) {
    case "part":
    case "xor":
      return null;
    case "reply":
      return t("analysis.reply", { move: step.move, part: step.part, from: step.from, to: step.to });
    case "lost":
      return t("analysis.step_lost");
    case "finished":
      return t("analysis.step_finished");
    default:
      return plain(step);
  }
}

/** @param {Step} step */
function plain({ step, ...values }) {
  const told = Object.entries(values).map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return `${step.replaceAll(/[-_]/g, " ")}${told.length ? `: ${told.join(", ")}` : ""}`;
}
