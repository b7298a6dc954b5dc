/**
 * Two heaps as a board: one heap is the column, the other the row, and a piece moves down and left towards the
 * corner. It is the same position as two piles of coins, but on a board a move is visible at a glance.
 */
import { h, s, set } from "../dom/build.js";
import { gliding } from "../dom/motion.js";
import { t } from "../words/words.js";
import { bounds, vector } from "./heaps.js";
import { heaps, letters, line, narrow, offer, replaceChoices } from "./picture.js";
import { ship } from "./ship.js";

/** The most squares along each side of a board; larger heaps are piles. Across a narrow window they stay touchable. */
const [SIDE_MOST, NARROW_MOST] = [21, 14];
const CELL = 40;
const GLIDE_MS = 600;
/** The paint of squares of either kind. */
const FILLS = [
  "color-mix(in oklab, var(--plate-dark), var(--plate-low) 30%)",
  "color-mix(in oklab, var(--plate-low), var(--plate-high) 40%)",
];
const EDGE = { stroke: "var(--plate-line)", "stroke-opacity": 0.35 };

/**
 * A board if the heaps are small enough, otherwise piles of coins. Cold squares are marked together with winning moves.
 * @type {(rule: Word, cold?: (most: number) => number[][]) => () => Picture}
 */
export const field =
  (rule, cold = () => []) =>
  () => {
    const element = h("div.field-picture");
    /** @type {Picture | null} */
    let inner = null;
    let isBoard = false;
    /** @param {Scene} scene */
    function update(scene) {
      const start = heaps(scene.start);
      if (!inner) {
        const fits = Math.max(...start) < SIDE_MOST && (!narrow.matches || Math.min(...start) < NARROW_MOST);
        isBoard = start.length === 2 && fits;
        inner = isBoard ? board(cold) : vector(rule)();
        element.prepend(inner.element);
      }
      inner.update(scene);
      showPass(scene);
    }
    const pass = h("button.pass", t("picture.pass"));
    const note = h("p.quiet.picture-note");
    element.append(pass, note);

    /** @param {Scene} scene */
    function showPass(scene) {
      const has = /pass=(\w+)/.exec(scene.start);
      pass.hidden = !has;
      const left = /pass=yes/.test(scene.position);
      offer(pass, scene, "pass");
      const [one, two] = heaps(scene.position);
      const used = has && !left ? [t("picture.pass_used")] : [];
      note.textContent = [t("picture.square", { one, two }), ...bounds(rule, scene.position), ...used].join(". ");
      note.hidden = !isBoard;
    }
    return { element, update };
  };

/** Wythoff's golden pairs up to a size, ⌊kφ⌋ and ⌊kφ⌋ + k. @param {number} most */
export function goldenPairs(most) {
  const all = Array.from({ length: most + 1 }, (_, k) => Math.floor((k * (1 + Math.sqrt(5))) / 2));
  return all.flatMap((small, k) =>
    k
      ? [
          [small, small + k],
          [small + k, small],
        ]
      : [[0, 0]],
  );
}

/** @param {(most: number) => number[][]} cold */
function board(cold) {
  const ground = s("g");
  const pairs = s("g.cold-pairs", { "aria-hidden": "true" });
  const cells = s("g");
  const piece = ship();
  const ghost = ship("g.ship.ghost", { opacity: 0.55 });
  const origin = s("rect.origin-cell", { width: CELL - 6, height: CELL - 6, rx: 5, ...line("hull-trim", 3, "5 4") });
  const element = s("svg.heap-square", ground, pairs, cells, origin, ghost, piece);
  let [columns, rows] = [0, 0];
  /** The numbers of the columns and the rows. @type {{ axis: 0 | 1, number: number, mark: Element }[]} */
  let marks = [];
  /** Whether the first heap goes upwards, because it is the larger one in a narrow window. */
  let turned = false;
  /** Returns the column and the row of two heaps, or the heaps of a column and a row. @param {number[]} pair */
  const turn = ([one, other]) => (turned ? [other, one] : [one, other]);
  /** @param {number} row */
  const top = (row) => (rows - 1 - row) * CELL;

  /** @type {(figure: Element, at: number[]) => void} */
  const place = (figure, [column, row]) =>
    set(figure, {
      transform: `translate(${(column + 0.5) * CELL} ${top(row) + CELL * 0.86}) scale(${CELL * 0.62})`,
    });
  const glide = gliding(GLIDE_MS, (at) => place(piece, at));

  /** @param {Scene} scene */
  function update(scene) {
    const start = heaps(scene.start);
    turned = narrow.matches && start[0] > start[1];
    const at = turn(heaps(scene.position));
    const [wide, high] = turn(start).map((coins) => Math.max(4, coins) + 1);
    if (wide !== columns || high !== rows) {
      [columns, rows] = [wide, high];
      drawGround();
    }
    const marked = scene.winning ? cold(Math.max(wide, high)).map(turn) : [];
    const seen = marked.filter(([column, row]) => column < wide && row < high);
    const disc = (/** @type {number[]} */ [column, row]) =>
      s("circle", { cx: (column + 0.5) * CELL, cy: top(row) + CELL / 2, r: 11, ...line("coin", 4) });
    pairs.replaceChildren(...seen.map(disc));
    drawCells(scene, at);
    drawLast(scene, at);
    for (const { mark, axis, number } of marks) mark.classList.toggle("here", number === at[axis]);
    glide(...at);
    const ahead = scene.ghost ? turn(heaps(scene.ghost)) : null;
    ghost.classList.toggle("hidden", !ahead);
    if (ahead) place(ghost, ahead);
  }

  /** Marks the square that the last move left. @type {(scene: Scene, at: number[]) => void} */
  function drawLast({ last }, [a, b]) {
    const taken = /^take (\d+),(\d+)$/.exec(last ?? "");
    origin.classList.toggle("hidden", !taken);
    const [x, y] = turn((taken ?? []).slice(1).map(Number));
    if (taken) set(origin, { x: (a + x) * CELL + 3, y: top(b + y) + 3 });
  }

  function drawGround() {
    set(element, { viewBox: `-48 -6 ${columns * CELL + 54} ${rows * CELL + 62}` });
    const squares = [];
    for (let column = 0; column < columns; column++) {
      for (let row = 0; row < rows; row++) {
        const fill = column + row ? FILLS[(column + row) % 2] : "var(--home)";
        squares.push(s("rect", { x: column * CELL, y: top(row), width: CELL, height: CELL, fill, ...EDGE }));
      }
    }
    marks = [];
    /** @type {(axis: 0 | 1, number: number, place: object) => void} */
    const edge = (axis, number, place) => void marks.push({ axis, number, mark: s("text.edge", place, number) });
    const step = Math.max(columns, rows) > 12 ? 5 : 1;
    for (let index = 0; index < columns; index += step) {
      edge(0, index, { x: (index + 0.5) * CELL, y: rows * CELL + 24, ...letters(15) });
    }
    for (let index = 0; index < rows; index += step) {
      edge(1, index, { x: -10, y: top(index) + CELL * 0.65, ...letters(15), "text-anchor": "end" });
    }
    const upright = `translate(-34 ${(rows * CELL) / 2}) rotate(-90)`;
    const places = [{ x: (columns * CELL) / 2, y: rows * CELL + 46 }, { transform: upright }];
    const heap = turn([1, 2]);
    const names = places.map((at, index) =>
      s("text", { ...at, ...letters(15) }, `${t("picture.heap", { heap: heap[index] })} →`),
    );
    ground.replaceChildren(...squares, ...marks.map(({ mark }) => mark), ...names);
  }

  /** @type {(scene: Scene, at: number[]) => void} */
  function drawCells(scene, [a, b]) {
    const found = [];
    const { legal, winning } = scene;
    if (!legal.empty || winning) {
      for (let column = 0; column <= a; column++) {
        for (let row = 0; row <= b; row++) {
          const move = `take ${turn([a - column, b - row]).join()}`;
          if ((column === a && row === b) || !(legal.empty ? winning : legal)?.allows(move)) continue;
          const [x, y, side] = [column * CELL + 2, top(row) + 2, CELL - 4];
          const hit = s("rect.lit-hit", { x: x - 2, y: y - 2, width: CELL, height: CELL, fill: "transparent" });
          const lit = s("g.lit", hit, s("rect.lit-square", { x, y, width: side, height: side, rx: 5 }));
          offer(lit, scene, move);
          found.push(lit);
        }
      }
    }
    replaceChoices(cells, found);
  }
  return { element, update };
}
