/**
 * Two heaps as a board: one heap is the column, the other the row, and a piece moves down and left towards the
 * corner. It is the same position as two piles of coins, but on a board a move is visible at a glance.
 *
 * @import { Scene } from "./picture.js"
 */
import { h, s, set } from "../dom/build.js";
import { gliding } from "../dom/motion.js";
import { t } from "../words/words.js";
import { bounds, vector } from "./heaps.js";
import { heaps, line, offer, replaceChoices } from "./picture.js";
import { ship } from "./ship.js";

/** The largest heap that is shown on a board; larger ones are piles. */
const SIDE_MOST = 21;
const CELL = 40;
const GLIDE_MS = 600;

/**
 * Makes pictures: a board if the heaps are small enough, otherwise piles of coins.
 * @param {import("../words/words.js").Word} rule   what may be taken from both
 */
export const field = (rule) => () => {
  const element = h("div.field-picture");
  /** @type {{ element: Element, update: (scene: Scene) => void } | null} */
  let inner = null;
  /** @param {Scene} scene */
  function update(scene) {
    const start = heaps(scene.start);
    if (!inner) {
      inner = start.length === 2 && Math.max(...start) < SIDE_MOST ? board() : vector(rule)();
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
    offer(pass, scene, "pass", { label: t("picture.pass") });
    const [one, two] = heaps(scene.position);
    const used = has && !left ? [t("picture.pass_used")] : [];
    note.textContent = [t("picture.square", { one, two }), ...bounds(rule, scene.position), ...used].join(". ");
    note.hidden = !note.textContent || !element.querySelector(".heap-square");
  }
  return { element, update };
};

function board() {
  const ground = s("g");
  const cells = s("g");
  const piece = ship();
  const ghost = ship();
  ghost.classList.add("ghost");
  const origin = s("rect.origin-cell", { width: CELL - 6, height: CELL - 6, rx: 5, ...line("hull-trim", 3, "5 4") });
  const element = s("svg.heap-square", ground, cells, origin, ghost, piece);
  let size = 0;
  /** @param {number} row */
  const top = (row) => (size - 1 - row) * CELL;

  /** @type {(figure: Element, at: number[]) => void} */
  const place = (figure, [column, row]) =>
    set(figure, {
      transform: `translate(${(column + 0.5) * CELL} ${top(row) + CELL * 0.86}) scale(${CELL * 0.62})`,
    });
  const glide = gliding(GLIDE_MS, (at) => place(piece, at));

  /** @param {Scene} scene */
  function update(scene) {
    const at = heaps(scene.position);
    const fits = Math.max(4, ...heaps(scene.start)) + 1;
    if (fits !== size) {
      size = fits;
      drawGround();
    }
    drawCells(scene, at);
    drawLast(scene, at);
    for (const mark of ground.querySelectorAll(".edge")) {
      mark.classList.toggle("here", Number(mark.textContent) === at[mark.classList.contains("of-row") ? 1 : 0]);
    }
    glide(...at);
    const ahead = scene.ghost ? heaps(scene.ghost) : null;
    ghost.classList.toggle("hidden", !ahead);
    if (ahead) place(ghost, ahead);
  }

  /** Marks the square that the last move left. @type {(scene: Scene, at: number[]) => void} */
  function drawLast({ last }, [a, b]) {
    const [, x, y] = /^take (\d+),(\d+)$/.exec(last ?? "") ?? [];
    origin.classList.toggle("hidden", x === undefined);
    if (x !== undefined) set(origin, { x: (a + Number(x)) * CELL + 3, y: top(b + Number(y)) + 3 });
  }

  function drawGround() {
    set(element, { viewBox: `-52 -10 ${size * CELL + 62} ${size * CELL + 66}` });
    const squares = [];
    for (let column = 0; column < size; column++) {
      for (let row = 0; row < size; row++) {
        const look = `${(column + row) % 2 ? "" : ".odd"}${column + row ? "" : ".goal"}`;
        squares.push(s(`rect.cell${look}`, { x: column * CELL, y: top(row), width: CELL, height: CELL }));
      }
    }
    const step = size > 12 ? 5 : 1;
    const middle = { "text-anchor": "middle" };
    for (let index = 0; index < size; index += step) {
      squares.push(s("text.edge", { x: (index + 0.5) * CELL, y: size * CELL + 24, ...middle }, index));
      squares.push(s("text.edge.of-row", { x: -10, y: top(index) + CELL * 0.65, "text-anchor": "end" }, index));
    }
    const half = (size * CELL) / 2;
    const places = [{ x: half, y: size * CELL + 46 }, { transform: `translate(-36 ${half}) rotate(-90)` }];
    const names = places.map((at, index) =>
      s("text.axis-name", { ...at, ...middle }, `${t("picture.heap", { heap: index + 1 })} →`),
    );
    ground.replaceChildren(...squares, ...names);
  }

  /** @type {(scene: Scene, at: number[]) => void} */
  function drawCells(scene, [a, b]) {
    const found = [];
    const { legal, winning } = scene;
    if (!legal.empty || winning) {
      for (let column = 0; column <= a; column++) {
        for (let row = 0; row <= b; row++) {
          const move = `take ${a - column},${b - row}`;
          if ((column === a && row === b) || !(legal.empty ? winning : legal)?.allows(move)) continue;
          const [x, y, side] = [column * CELL + 2, top(row) + 2, CELL - 4];
          const lit = s("g.lit", s("rect.lit-square", { x, y, width: side, height: side, rx: 5 }));
          offer(lit, scene, move, { label: t("picture.to_cell", { a: column, b: row, move }) });
          found.push(lit);
        }
      }
    }
    replaceChoices(cells, found);
  }
  return { element, update };
}
