/**
 * Why a position is won or lost, as a picture: the parts of a position as rows of lamps, where each lit lamp wants a
 * partner in its column, and pictures of their own where the idea is another. All numbers come from the steps.
 */
import { h, s } from "../../dom/build.js";
import { amount, area, letters, line } from "../../pictures/picture.js";
import { knownGame } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { doing } from "../../words/moves.js";
import { maybe, t } from "../../words/words.js";

/** More columns than this are made smaller, and those in which all lamps have partners are left out. */
const COLUMNS_MANY = 12;
/** The most lamps of a move that are named one by one. */
const NAMED_MOST = 6;

/**
 * What is drawn: the position with its game, the winning move that is shown, and the values that the moves lead to.
 * @typedef {{ game: string, position: string, best?: string, options?: Options }} Given
 *
 * A part of a position, its value, and its value after the shown move.
 * @typedef {{ part: PartKey, label: string, value: number, after: number }} Row
 */

/** Returns the picture of an argument. @type {(steps: ExplanationStep[], given: Given) => HTMLElement} */
export function lamps(steps, given) {
  const rows = rowsOf(steps, given.best);
  const reply = replyOf(steps, given.best);
  return h(
    "div.lamps",
    ...pinRows(steps, given, reply),
    rows.length > 0 && h("p", rule(steps)),
    rows.length > 0 && panel(rows),
    ...switched(reply),
    ...worth(steps, given).map((words) => h("p.quiet", words)),
    ...steps.filter(({ step }) => step === "zeckendorf").map((step) => zeckendorf(step, steps)),
    ...contractions(steps),
    rows.length === 0 && given.options?.mex !== undefined ? boxes(given.options) : null,
  );
}

/** Returns the reply that is shown: that of the wanted move, or else the first. */
function replyOf(/** @type {ExplanationStep[]} */ steps, /** @type {string | undefined} */ best) {
  const replies = steps.filter(({ step }) => step === "reply");
  return replies.find(({ move }) => move === best) ?? replies[0];
}

/** @type {(steps: ExplanationStep[], best: string | undefined) => Row[]} */
function rowsOf(steps, best) {
  const xor = steps.find(({ step }) => step === "xor");
  const reply = replyOf(steps, best);
  /** @type {{ part: PartKey, value: number }[]} */
  const terms = xor?.terms ?? [];
  const parts = steps.filter(({ step }) => step === "part");
  return terms.map(({ part, value }, index) => {
    // The heads of turtles have no numbers, so that terms and parts are told apart by their order.
    const known = parts.length === terms.length ? parts[index] : undefined;
    const changes = reply && same(reply.part, part) && reply.from === value;
    return { part, label: labelOf(part, known?.size, steps), value, after: changes ? reply.to : value };
  });
}

/** @type {(one: PartKey, other: PartKey) => boolean} */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the name of a part: that of the lamps, or else of the analysis. @param {PartKey} key */
export function partName({ kind, ...numbers }) {
  return maybe(`part.${kind}`, numbers) ?? [kind, ...Object.values(numbers)].join(" ");
}

/** Returns what a part is called where its lamps are. @param {PartKey} key */
export function rowName(key) {
  return maybe(`lamp.${key.kind}`, key) ?? partName(key);
}

/** Returns the name of a row, with what is seen of the part where that is not its value. */
function labelOf(
  /** @type {PartKey} */ part,
  /** @type {string | undefined} */ size,
  /** @type {ExplanationStep[]} */ steps,
) {
  const component = steps.find(({ step, number }) => step === "component" && part.number === number);
  if (part.kind === "component" && component) return `${part.number} · ${title(knownGame(component.game))}`;
  const name = rowName({ ...part, size: size ?? "" });
  const count = Number(size);
  if (part.kind !== "fib" && part.kind !== "fob") return name;
  return `${name} ${amount(count)} (${t(count === 0 ? "lamp.empty" : count % 2 ? "lamp.odd" : "lamp.even")})`;
}

/** Returns what the lamps are for, which is another thing where heaps are counted in blocks. */
function rule(/** @type {ExplanationStep[]} */ steps) {
  const block = steps.find(({ step }) => step === "block");
  return block ? t("lamp.rule_blocks", { modulus: block.modulus }) : t("lamp.rule");
}

/** Returns whether a number has a power of two; bit operations end at 32 bits. */
const lit = (/** @type {number} */ value, /** @type {number} */ power) => Math.floor(value / 2 ** power) % 2 === 1;

/** The table of lamps. @param {Row[]} rows */
function panel(rows) {
  const most = Math.max(1, ...rows.flatMap(({ value, after }) => [value, after]));
  const all = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, index) => index).reverse();
  const alone = (/** @type {number} */ power) => rows.filter(({ value }) => lit(value, power)).length % 2 === 1;
  const many = all.length > COLUMNS_MANY;
  const powers = many
    ? all.filter((power) => alone(power) || rows.some(({ value, after }) => lit(value, power) !== lit(after, power)))
    : all;
  const left = all.length - powers.length;
  const heads = powers.map((power) => h("th", { scope: "col" }, power < 10 ? 2 ** power : ["2", h("sup", power)]));
  const shown = powers.map((power) => {
    const count = rows.filter(({ value }) => lit(value, power)).length;
    if (count % 2) return h("td.alone", t("lamp.alone"));
    return count ? h("td", h("span", { "aria-hidden": "true" }, "✓"), h("span.unseen", t("lamp.paired"))) : h("td");
  });
  const head = h("thead", h("tr", h("td"), h("td"), ...heads));
  const body = h("tbody", ...rows.map((row) => rowOf(row, powers, many)));
  const foot = h("tfoot", h("tr", h("th", { scope: "row", colspan: 2 }, t("lamp.partners")), ...shown));
  const table = h(`table.lamp-panel${many ? ".many" : ""}`, head, body, foot);
  const note = left > 0 && h("p.quiet", t("lamp.left_out", { count: left }));
  return h("div.lamp-frame", { tabindex: 0, role: "group", "aria-label": t("lamp.panel") }, table, note);
}

/** Large numbers stand below the name. @type {(row: Row, powers: number[], many: boolean) => HTMLElement} */
function rowOf({ label, value, after }, powers, many) {
  const number = after === value ? [amount(value)] : [h("s", amount(value)), " ", h("b", amount(after))];
  const cells = powers.map((power) => {
    const [now, then] = [lit(value, power), lit(after, power)];
    const state = now && !then ? "off" : !now && then ? "on" : now ? "lit" : "dark";
    return h("td", h(`i.lamp.is-${state}`), h("span.unseen", t(/** @type {"lamp.lit"} */ (`lamp.${state}`))));
  });
  const below = many ? h("span.lamp-number.quiet", ...number) : null;
  return h("tr", h("th", { scope: "row" }, label, below), h("td.quiet", many ? null : number), ...cells);
}

/** The shown move in words: which lamps it switches. @param {ExplanationStep | undefined} reply */
function switched(reply) {
  if (!reply) return [];
  const { part, from, to, move, sizes = [] } = reply;
  const powers = (/** @type {number} */ one, /** @type {number} */ other) => {
    const all = Array.from({ length: Math.floor(Math.log2(Math.max(1, one))) + 1 }, (_, index) => index).reverse();
    const found = all.filter((power) => lit(one, power) && !lit(other, power));
    if (found.length > NAMED_MOST) return t("lamp.count", { count: found.length });
    return new Intl.ListFormat(t("locale")).format(found.map((power) => amount(2 ** power)));
  };
  const [off, on] = [powers(from, to), powers(to, from)];
  const words = t(off && on ? "lamp.switch_both" : off ? "lamp.switch_off" : "lamp.switch_on", { off, on });
  // The move names turtles itself.
  const name = part.kind === "head" ? "" : rowName(part);
  const [before, after] = sizes;
  // Where a part is worth its size, the move itself says how it changes.
  const isPlain = !sizes.length || (before === String(from) && after === String(to));
  const what = isPlain ? name : t("lamp.changes", { part: name, before, after, from: amount(from), to: amount(to) });
  return [h("p.lamp-move", h("b", { title: move }, `${doing(move)}: `), what && `${what}: `, words)];
}

/** What parts are worth other than their size. @type {(steps: ExplanationStep[], given: Given) => string[]} */
function worth(steps, { position }) {
  const parts = steps.filter(({ step, size, nimber }) => step === "part" && size !== String(nimber));
  const words = parts.map(({ part, size, nimber }) => maybe(`worth.${part.kind}`, { ...part, count: size, nimber }));
  if (steps.some(({ part }) => part?.kind === "step")) words.push(t("worth.steps"));
  if (/nuggets=[1-9]/.test(position)) words.push(t("worth.nuggets"));
  return [...new Set(words)].filter((word) => word !== null);
}

/** The most segments of a stalk, circuits of a vertex, and boxes that are drawn one by one. */
const DRAWN_MOST = 12;

/**
 * The rows of pins with what each is worth, and those that the shown move knocks down.
 * @type {(steps: ExplanationStep[], given: { position: string, best?: string }, reply?: ExplanationStep) => any[]}
 */
function pinRows(steps, { position }, reply) {
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
function zeckendorf(/** @type {ExplanationStep} */ { coins, parts, quota }, /** @type {ExplanationStep[]} */ steps) {
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
function contractions(/** @type {ExplanationStep[]} */ steps) {
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
    s("text", { x: 12, y: 64, ...letters(11, 700, "bg") }, vertex),
  ];
  const sign = (/** @type {number} */ x, /** @type {string} */ text) =>
    s("text", { x, y: 64, ...letters(16, 700, "ink") }, text);
  const value = nimber ? stalk(wide + 28, nimber) : sign(wide + 28, "0");
  const frame = { viewBox: `-14 -12 ${wide + 54} 86`, "aria-hidden": "true" };
  return s("svg.flower", frame, ...circuits, ...stalks, ...knot, sign(wide + 10, "="), value);
}

/** A stalk of one segment for each unit. @type {(x: number, value: number) => any} */
function stalk(x, value) {
  const drawn = Math.min(value, DRAWN_MOST);
  const high = Math.min(12, 64 / drawn);
  const joints = Array.from({ length: drawn }, (_, index) =>
    s("path", { d: `M${x} ${68 - index * high}v${2 - high}`, ...line("plant", 5, undefined, "round") }),
  );
  const name = value > drawn && s("text", { x, y: 0, ...letters(11, 700, "ink") }, amount(value));
  return s("g", ...joints, name);
}

/** The values that the moves lead to, as boxes: the first empty one is the value. @param {Options} options */
function boxes({ families, mex = 0 }) {
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
