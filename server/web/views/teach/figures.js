/**
 * The pictures of ideas that are no lamps: rows of pins that split, Fibonacci parts, plants that contract to stalks,
 * and the boxes of which the first empty one is the value.
 *
 * @import { ExplanationStep, Options } from "../../wire/types.js"
 */
import { h, s } from "../../dom/build.js";
import { amount, area, line } from "../../pictures/picture.js";
import { t } from "../../words/words.js";

/** The most segments of a stalk, circuits of a vertex, and boxes that are drawn one by one. */
const DRAWN_MOST = 12;

/**
 * The rows of pins with what each is worth, and those that the shown move knocks down.
 * @type {(steps: ExplanationStep[], given: { position: string, best?: string }, reply?: ExplanationStep) => any[]}
 */
export function pinRows(steps, { position }, reply) {
  const groups = steps.filter(({ step, part }) => step === "part" && part.kind === "group");
  if (!groups.length) return [];
  const knocked = (reply?.move.match(/\d+/g) ?? []).map(Number);
  const rows = [...position.matchAll(/x+/g)].map(({ 0: pins, index = 0 }, number) => {
    const dots = [...pins].map((_, at) => h(`i.pin-dot${knocked.includes(index + at + 1) ? ".gone" : ""}`));
    return h("span.pin-group", h("span", ...dots), h("b", groups[number]?.nimber));
  });
  return [h("div.pin-groups.row.wrap", { "aria-hidden": "true" }, ...rows)];
}

/** The coins as a sum of Fibonacci numbers, and which of them may be taken. */
export function zeckendorf(
  /** @type {ExplanationStep} */ { coins, parts, quota },
  /** @type {ExplanationStep[]} */ steps,
) {
  const taken = steps.find(({ step }) => step === "tail")?.sum ?? 0;
  let rest = coins;
  const blocks = /** @type {number[]} */ (parts).map((part) => {
    const goes = rest <= taken;
    rest -= part;
    const look = { "--part": Math.sqrt(part).toFixed(2) };
    return h(`span.fib-part${goes ? ".goes" : ""}${part > quota ? ".locked" : ""}`, look, amount(part));
  });
  const least = /** @type {number[]} */ (parts).at(-1) ?? 0;
  const sides = { least: amount(least), quota: amount(quota) };
  const words = t(least > quota ? "figure.zeckendorf_lost" : "figure.zeckendorf_won", sides);
  return h("div.figure", h("div.fib-parts.row.wrap", { "aria-hidden": "true" }, ...blocks), h("p", words));
}

/** The vertices of a plant that were contracted, each as what grows from it and the stalk that is worth the same. */
export function contractions(/** @type {ExplanationStep[]} */ steps) {
  const all = steps.filter(({ step }) => step === "contracted");
  if (!all.length) return [];
  const items = all.map(({ vertex, edges, bridges, nimber }) => {
    const values = bridges.map((/** @type {{ value: number }} */ { value }) => value);
    const at = vertex === 0 ? t("step.ground") : t("step.vertex", { vertex });
    const sides = { edges, parity: edges % 2, bridges: values.join(", ") || t("step.none"), nimber, vertex: at };
    return h("li.row", flower(vertex, edges, values, nimber), h("span", t("figure.contracted", sides)));
  });
  return [h("p", t("figure.plant")), h("ol.contractions", ...items)];
}

/** @type {(vertex: number, edges: number, values: number[], nimber: number) => any} */
function flower(vertex, edges, values, nimber) {
  const stalks = values.map((value, index) => stalk(34 + index * 12, value));
  const wide = 34 + values.length * 12;
  const circuits = Array.from({ length: Math.min(edges, DRAWN_MOST) }, (_, index) =>
    s("ellipse", {
      rx: 9,
      ry: 4,
      transform: `translate(12 60) rotate(${-30 - index * (240 / Math.max(edges, 2))}) translate(10 0)`,
      ...line("plant", 1.6),
    }),
  );
  const knot = [
    s("circle", { cx: 12, cy: 60, r: 9, ...area("knot") }),
    s("text.knot-name", { x: 12, y: 64, "text-anchor": "middle" }, vertex),
  ];
  const sign = (/** @type {number} */ x, /** @type {string} */ text) =>
    s("text.knot-equals", { x, y: 64, "text-anchor": "middle" }, text);
  const value = nimber ? stalk(wide + 28, nimber) : sign(wide + 28, "0");
  const frame = { viewBox: `-14 -2 ${wide + 54} 76`, "aria-hidden": "true" };
  return s("svg.flower", frame, ...circuits, ...stalks, ...knot, sign(wide + 10, "="), value);
}

/** A stalk of one segment for each unit. @type {(x: number, value: number) => any} */
function stalk(x, value) {
  const drawn = Math.min(value, DRAWN_MOST);
  const high = Math.min(12, 64 / drawn);
  const joints = Array.from({ length: drawn }, (_, index) =>
    s("path", { d: `M${x} ${68 - index * high}v${2 - high}`, ...line("plant", 5, undefined, "round") }),
  );
  const name = value > drawn && s("text.knot-name", { x, y: 0, "text-anchor": "middle" }, amount(value));
  return s("g", ...joints, name);
}

/** The values that the moves lead to, as boxes: the first empty one is the value. @param {Options} options */
export function boxes({ families, mex = 0 }) {
  const reached = new Set(families.flatMap(({ values }) => values));
  const first = Math.max(0, mex - DRAWN_MOST + 2);
  const shown = Array.from({ length: Math.min(DRAWN_MOST, mex + 2) }, (_, index) => first + index);
  const row = shown.map((value) =>
    h(`span.mex-box${reached.has(value) ? ".full" : value === mex ? ".first" : ""}`, amount(value)),
  );
  const values = [...reached].sort((one, other) => one - other);
  const named = values.slice(0, DRAWN_MOST * 2).map(amount);
  const most = [...named, ...(values.length > named.length ? ["…"] : [])].join(", ");
  const words = values.length ? t("figure.mex", { values: most, mex: amount(mex) }) : t("figure.mex_none");
  const drawn = h("div.mex-boxes.row.wrap", { "aria-hidden": "true" }, first > 0 && "… ", ...row);
  return h("div.figure", drawn, h("p", words));
}
