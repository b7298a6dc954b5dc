/**
 * Heaps as piles of coins. Clicking a coin takes it and all coins above it. Where a game takes from several heaps at
 * once, a second click adds to the first. Stairs are the same piles, each one step higher.
 *
 * @typedef {object} Kind
 * @property {(position: string) => number[]} read
 * @property {(amount: number, heap: number) => string} [write]   taking from one heap; heaps count from 0
 * @property {(amounts: number[]) => string} [together]           taking from any, for games that can from several
 * @property {(move: string, count: number) => number[]} parse     how many a move takes from each heap
 * @property {(heap: number) => string} name
 * @property {boolean} [stairs]
 * @property {(position: string) => string} [note]
 *
 * @typedef {{ scene: Scene, counts: number[], chosen: number[], most: number, last: number }} Shown
 */
import { fill, h, s, set } from "../dom/build.js";
import { keyed } from "../dom/keyed.js";
import { t } from "../words/words.js";
import { amount, area, line, offer, pointing } from "./picture.js";

/** The number of coins in one pile; larger heaps are several piles. */
const PILE = 10;
/** The number of coins that are drawn; moves in larger heaps are chosen with the stepper. */
const DRAWN_MOST = 120;
const [WIDTH, THICK, FLAT] = [46, 12, 9];
const [SIDE, FACE, PRINT] = [area("coin-side", "coin-edge", 1), area("coin", "coin-edge", 1), line("coin-side", 1.2)];

/** @param {Kind} kind */
export function coins(kind) {
  /** @returns {Picture} */
  return () => {
    const note = h("p.quiet.picture-note");
    const row = h(`div.heaps${kind.stairs ? ".stairs" : ""}`);
    const element = h("div.heaps-picture", row, note);
    /** @type {ReturnType<typeof heap>[]} */
    let drawn = [];

    /** @param {Scene} scene */
    function update(scene) {
      const counts = kind.read(scene.position);
      if (counts.length !== drawn.length) {
        drawn = counts.map((_, index) => heap(kind, index));
        fill(row, ...drawn.map(({ element }) => element));
      }
      const starts = kind.read(scene.start);
      const most = Math.max(1, ...starts, ...counts);
      const chosen =
        scene.chosen && scene.legal.allows(scene.chosen)
          ? kind.parse(scene.chosen, counts.length)
          : counts.map(() => 0);
      const last = scene.last ? kind.parse(scene.last, counts.length) : [];
      drawn.forEach((pile, index) => pile.update({ scene, counts, chosen, most, last: last[index] || 0 }));
      const words = kind.note?.(scene.position) ?? "";
      note.textContent = words;
      note.hidden = !words;
    }
    return { element, update };
  };
}

/** @type {(kind: Kind, index: number) => { element: HTMLElement, update: (shown: Shown) => void }} */
function heap(kind, index) {
  const piles = s("g");
  const picture = s("svg.piles", piles);
  const count = h("b.heap-count");
  const gone = h("b.heap-last", { hidden: true });
  const step = stepper();
  const block = kind.stairs ? h("div.stair") : null;
  const name = h("p.heap-name", h("span", kind.name(index)), count, gone);
  const element = h("div.heap", { "--step": index }, picture, block, name, step.element);
  let columns = 0;
  /** @typedef {{ place: number, x: number, y: number, move: string, taken: boolean, scene: Scene }} Coin */
  /** @type {(element: Element, coin: Coin) => void} */
  const showCoin = (element, { x, y, move, taken, scene }) => {
    set(element, { transform: `translate(${x} ${y})` });
    offer(element, scene, move, { part: !!kind.together });
    element.classList.toggle("taken", taken);
  };
  const show = keyed(piles, ({ place }) => place, makeCoin, showCoin);

  // Marks the coins that the coin under the pointer would take along.
  pointing(picture, ".coin.choice", (coin) => {
    const all = [...piles.querySelectorAll(".coin:not(.leaving)")];
    const from = coin ? all.indexOf(coin) : all.length;
    all.forEach((other, place) => other.classList.toggle("would", place >= from));
  });

  /** @param {Shown} shown */
  function update({ scene, counts, chosen, most, last }) {
    const size = counts[index];
    const shown = Math.min(size, DRAWN_MOST);
    const wide = Math.max(1, Math.ceil(Math.min(most, DRAWN_MOST) / PILE));
    const own = Math.max(1, Math.ceil(shown / PILE));
    columns = Math.max(own, Math.min(wide, Math.max(columns, own)));
    const high = Math.min(most, PILE);
    const [width, height] = [columns * (WIDTH + 6), high * THICK + 2 * FLAT + 10];
    set(picture, { viewBox: `0 0 ${width} ${height}`, "--wide": `${width}px` });
    /** @param {number} taken */
    const moving = (taken) => {
      if (!kind.together) return kind.write?.(taken, index) ?? "";
      const both = kind.together(chosen.map((amount, other) => (other === index ? taken : amount)));
      return scene.legal.allows(both) ? both : kind.together(chosen.map((_, other) => (other === index ? taken : 0)));
    };
    const coins = Array.from({ length: shown }, (_, place) => {
      const taken = size - place;
      const pile = Math.floor(place / PILE);
      const x = pile * (WIDTH + 6) + 3 + WIDTH / 2;
      const y = height - FLAT - 6 - (place % PILE) * THICK;
      return { place, x, y, move: moving(taken), taken: chosen[index] >= taken, scene };
    });
    show(coins);
    count.textContent = amount(size);
    gone.textContent = last ? `−${amount(last)}` : "";
    gone.hidden = !last;
    const amounts = scene.legal.amounts(moving, size);
    const label = `${t("picture.take_from")}: ${kind.name(index)}`;
    step.update(amounts, chosen[index], (taken) => scene.propose(moving(taken)), label);
    const wins = amounts.some((taken) => scene.winning?.allows(moving(taken)));
    element.classList.toggle("is-winning", wins);
  }
  return { element, update };
}

function makeCoin() {
  const [rx, ry] = [WIDTH / 2, FLAT];
  return s(
    "g.coin",
    // The hit area does not move when the coin rises under the pointer.
    s("path.coin-hit", {
      fill: "transparent",
      d: `M${-rx} ${-THICK + 2}V0A${rx} ${ry} 0 0 0 ${rx} 0V${-THICK + 2}A${rx} ${ry} 0 0 0 ${-rx} ${-THICK + 2}Z`,
    }),
    s(
      "g.coin-body",
      s("path", { d: `M${-rx} ${-THICK + 2}V0A${rx} ${ry} 0 0 0 ${rx} 0V${-THICK + 2}Z`, ...SIDE }),
      s("ellipse.coin-face", { cy: -THICK + 2, rx, ry, ...FACE }),
      s("ellipse.coin-print", { cy: -THICK + 2, rx: rx * 0.62, ry: ry * 0.58, ...PRINT }),
    ),
  );
}

/** An amount chosen by steps or by typing, among the amounts that make a legal move. */
function stepper() {
  const field = h("input.number", { type: "number", inputmode: "numeric", min: 0, step: 1 });
  const fewer = h("button.small", { "aria-label": t("picture.fewer") }, "−");
  const more = h("button.small", { "aria-label": t("picture.more") }, "+");
  const element = h("div.stepper", { role: "group" }, fewer, field, more);
  /** @type {number[]} */
  let amounts = [];
  let now = 0;
  /** @type {(amount: number) => void} */
  let choose = () => {};

  fewer.addEventListener("click", () => pick(amounts.findLast((amount) => amount < now)));
  more.addEventListener("click", () => pick(amounts.find((amount) => amount > now)));
  field.addEventListener("change", () => pick(Number(field.value)));

  /** @param {number | undefined} amount */
  function pick(amount) {
    if (amount !== undefined && amount !== now && amounts.includes(amount)) choose(amount);
    else field.value = String(now);
  }

  /** @type {(possible: number[], chosen: number, next: (amount: number) => void, label: string) => void} */
  function update(possible, chosen, next, label) {
    [amounts, now, choose] = [possible, chosen, next];
    element.classList.toggle("hidden", amounts.length === 0);
    set(field, { "aria-label": label, max: amounts.at(-1) ?? 0 });
    set(element, { "aria-label": label });
    field.value = String(chosen);
    field.disabled = amounts.length === 0;
    fewer.disabled = !amounts.some((amount) => amount < now);
    more.disabled = !amounts.some((amount) => amount > now);
  }
  return { element, update };
}
