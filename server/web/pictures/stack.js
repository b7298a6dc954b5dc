/**
 * Eight boards above each other in perspective, and a ship. Everything is drawn from one continuous place of the
 * ship, so a move animates that place: boards above it fade to outlines, its own board is bright, and those below
 * shine through. Beside the boards stands a lift: its stops are the moves to other boards, because on the boards
 * these squares would lie over squares of the ship's own board.
 *
 * @typedef {{ file: number, rank: number, board: number }} Place   all from 0
 */
import { changes, s, set } from "../dom/build.js";
import { between, gliding } from "../dom/motion.js";
import { t } from "../words/words.js";
import { BOARDS, FAR, SIDE, STEEP } from "./camera.js";
import { grab } from "./drag.js";
import { area, letters, line, narrow, still as nothing, offer, pointing, replaceChoices } from "./picture.js";
import { ship as drawShip } from "./ship.js";

const FLIGHT_MS = 700;
const THICK = 0.13;
const [STOP_WIDE, STOP_HIGH] = [68, 50];
/** More than all squares of a board and all stops of the lift. */
const PLACES_MOST = 80;
const STOP = { width: STOP_WIDE, height: STOP_HIGH, rx: 14 };

const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

/** Makes the parts of the picture, the far ones first. @param {boolean} still */
function build(still) {
  const boards = Array.from({ length: BOARDS }, (_, board) => {
    const tone = `color-mix(in oklab, var(--plate-low), var(--plate-high) ${(100 * board) / (BOARDS - 1)}%)`;
    const parts = {
      side: s("path", area("plate-side", "plate-line", 1)),
      plate: s("path.plate", { ...line("plate-line", 2), fill: tone, "stroke-linejoin": "round" }),
      dark: s("path", area("plate-dark")),
      name: s("text.board-name", letters(28), String(board + 1)),
    };
    const group = s("g", ...Object.values(parts));
    return { ...parts, group, hasOtherOutline: changes() };
  });
  const marks = Array.from({ length: 2 * SIDE }, (_, index) =>
    s("text", letters(25), index < SIDE ? "abcdefgh"[index] : String(index - SIDE + 1)),
  );
  const home = s("polygon", { ...area("home", "home", 2.5), "fill-opacity": 0.35 });
  const homeName = s("text", letters(23, 800, "home"), t("picture.home"));
  const shaft = s("path", { ...line("line-strong", 3), opacity: 0.45 });
  const cabin = s("rect", { ...STOP, ...area("accent") });
  const trail = s("path.trail", line("hull-trim", 4, "1 11", "round"));
  const origin = s("polygon.origin", line("hull-trim", 3));
  const lit = "color-mix(in srgb, var(--accent) 40%, transparent)";
  const landing = s("polygon.landing", { ...line("accent", 3, "7 6"), fill: lit });
  const beam = s("path", { ...line("accent", 2.5, "3 9", "round"), opacity: 0.8 });
  const choices = s("g.choices");
  const [ghost, craft] = [drawShip("g.ship.ghost", { opacity: 0.55 }), drawShip()];
  const groups = boards.map(({ group }) => group);
  const marked = [s("g", ...marks), s("g", home, homeName), trail, origin, landing];
  const scenery = s("g", { "aria-hidden": "true" }, shaft, cabin, ...groups, ...marked);
  const element = s(`svg.stack${still ? ".still" : ""}`, { role: "group" }, scenery, choices, ghost, craft);
  return { element, boards, marks, home, homeName, shaft, cabin, landing, beam, trail, origin, choices, ghost, craft };
}

/** A picture that is only looked at is always that of a wide window. @param {{ still?: boolean }} [view] */
export function stack({ still = false } = {}) {
  const view = () => (!still && narrow.matches ? STEEP : FAR);
  let eye = view();
  const parts = build(still);
  const { element, boards, marks, home, homeName, shaft, cabin, landing, beam, trail, origin, choices } = parts;
  const { ghost, craft } = parts;

  /** Where the ship is drawn. @type {Place} */
  let shown = { file: 0, rank: 0, board: 0 };
  /** @type {Place | null} */
  let target = null;
  let scene = nothing("");
  // Boards and choices stay while only other things change.
  const hasOtherBoards = changes();
  let drawnChoices = "";

  /** @param {number} board */
  const height = (board) => board * eye.gap + eye.lift * Math.min(1, Math.max(0, board - shown.board));
  /** Returns the height of a board's stop of the lift in the picture. @param {number} board */
  const stopY = (board) => eye.project(0, SIDE, height(board))[1];
  /** @param {Place} place */
  const middle = ({ file, rank, board }) => eye.project(file + 0.5, rank + 0.5, height(board));
  /** @type {(place: Place, inset?: number) => string} */
  const square = ({ file, rank, board }, inset = 0.04) => {
    const z = height(board);
    const inside = (/** @type {number} */ side) => inset + side * (1 - 2 * inset);
    return points(SQUARE.map(([x, y]) => eye.project(file + inside(x), rank + inside(y), z)));
  };

  function draw() {
    if (hasOtherBoards(eye.shaft, shown.board)) drawBoards();
    place(craft, shown);
    const foot = middle({ ...shown, board: 0 });
    set(beam, { d: shown.board > 0.02 ? `M${at(middle(shown))}L${at(foot)}` : "M0 0" });
  }

  /** Draws what depends on the ship's board alone. */
  function drawBoards() {
    // The camera follows the ship: of the boards above it only the next one is in sight.
    const [left, farthest, wide, high] = eye.box;
    const head = eye.project(SIDE, SIDE, (shown.board + 1) * eye.gap + eye.lift)[1] - 24;
    const box = [left, head, wide, high + farthest - head];
    set(element, { viewBox: box.map((number) => number.toFixed(1)).join(" ") });
    // The beam is seen only through the boards below the ship.
    const { group } = boards[Math.round(shown.board)];
    if (beam.nextSibling !== group) group.before(beam);
    boards.forEach((board, index) => drawBoard(board, index));
    const z = height(Math.round(shown.board));
    marks.forEach((mark, index) => {
      const along = (index % SIDE) + 0.5;
      const [x, y] = index < SIDE ? eye.project(along, -0.42, z) : eye.project(-0.42, along, z);
      set(mark, { x: x.toFixed(1), y: (y + 9).toFixed(1) });
    });
    drawHome();
    const [top, footOfLift] = [stopY(Math.min(BOARDS - 1, Math.round(shown.board) + 1)), stopY(0)];
    set(shaft, { d: `M${eye.shaft} ${top.toFixed(1)}V${footOfLift.toFixed(1)}` });
    set(cabin, { x: eye.shaft - STOP_WIDE / 2, y: (stopY(shown.board) - STOP_HIGH / 2).toFixed(1) });
  }

  /** @type {(board: (typeof boards)[number], index: number) => void} */
  function drawBoard(board, index) {
    const { group, side, plate, dark, name } = board;
    const z = height(index);
    const above = Math.min(1, Math.max(0, index - shown.board));
    const below = Math.min(1, Math.max(0, shown.board - index));
    const glass = above ? 0.86 * (1 - above) : between(0.9, 0.5, below);
    const edge = above ? between(1, 0.36, above) : between(1, 0.75, below);
    const check = above ? 0.54 * (1 - above) : between(0.648, 0.288, below);
    set(plate, { "fill-opacity": glass.toFixed(3), "stroke-opacity": edge.toFixed(3) });
    set(side, { "fill-opacity": glass.toFixed(3), "stroke-opacity": (edge / 2).toFixed(3) });
    set(dark, { "fill-opacity": check.toFixed(3) });
    group.classList.toggle("hidden", index > Math.round(shown.board) + 1);
    side.classList.toggle("hidden", above > 0.5);
    dark.classList.toggle("hidden", above > 0.9);
    if (board.hasOtherOutline(eye.shaft, z, above > 0.5)) drawOutline(board, z, above > 0.5);
    set(name, { x: eye.shaft, y: (stopY(index) + 11).toFixed(1) });
    name.classList.toggle("here", Math.round(shown.board) === index);
  }

  /** @type {(board: (typeof boards)[number], z: number, above: boolean) => void} */
  function drawOutline({ side, plate, dark }, z, above) {
    const corners = SQUARE.map(([x, y]) => eye.project(x * SIDE, y * SIDE, z));
    const [near, right, far, left] = corners;
    // Boards above the ship show only their far edges, so that no line crosses the squares below.
    set(plate, { d: above ? path([left, far, right]).slice(0, -1) : path(corners) });
    const [under, underRight, , underLeft] = SQUARE.map(([x, y]) => eye.project(x * SIDE, y * SIDE, z - THICK));
    set(side, { d: path([left, near, under, underLeft]) + path([near, right, underRight, under]) });
    let squares = "";
    for (let file = 0; file < SIDE; file++) {
      for (let rank = file % 2; rank < SIDE; rank += 2) {
        squares += path(SQUARE.map(([x, y]) => eye.project(file + x, rank + y, z)));
      }
    }
    set(dark, { d: squares });
  }

  function drawHome() {
    set(home, { points: square({ file: 0, rank: 0, board: 0 }, 0.06) });
    const [x, y] = eye.project(0, 0, height(0) - THICK);
    set(homeName, { x: x.toFixed(1), y: (y + 32).toFixed(1) });
  }

  /** @type {(figure: Element, on: Place) => void} */
  function place(figure, on) {
    const size = eye.scale(on.file + 0.5, on.rank + 0.5, height(on.board)) * 1.06;
    set(figure, { transform: `translate(${at(middle(on))}) scale(${size.toFixed(2)})` });
  }

  /** @param {Scene} next */
  function drawChoices(next) {
    const known = next.legal.list(PLACES_MOST).concat(next.legal.empty ? (next.winning?.list(PLACES_MOST) ?? []) : []);
    const moves = known.filter((move) => move.startsWith("ship "));
    const key = [eye.shaft, target?.board, ...moves].join();
    const stays = drawnChoices === key;
    drawnChoices = key;
    const lights = moves.map((move, index) => {
      const to = read(move.slice(5));
      const lifted = !!target && to.board !== target.board;
      const lit = stays
        ? choices.children[index]
        : lifted
          ? stopOf(to)
          : s("g.lit", s("polygon.lit-square", { points: square(to) }));
      offer(lit, next, move);
      return lit;
    });
    if (!stays) replaceChoices(choices, lights);
  }

  /** Returns the stop of the lift at another board. @param {Place} to */
  function stopOf(to) {
    const y = stopY(to.board);
    const [corner] = eye.project(0, SIDE, height(to.board));
    const reach = Math.abs(stopY(1) - stopY(0));
    const way = `M${eye.shaft + STOP_WIDE / 2} ${y.toFixed(1)}H${(corner - 4).toFixed(1)}`;
    return s(
      "g.lit.lower",
      s("rect.lit-hit", { x: eye.shaft - 52, y: y - reach / 2, width: 104, height: reach, fill: "transparent" }),
      s("path.leader", { d: way, ...line("accent", 2.5, "2 7", "round") }),
      s("rect.lit-square", { ...STOP, x: eye.shaft - STOP_WIDE / 2, y: (y - STOP_HIGH / 2).toFixed(1) }),
      s("text.lit-name", { x: eye.shaft, y: (y + 11).toFixed(1), ...letters(30, 800, "accent-ink") }, to.board + 1),
    );
  }

  // Shows where a stop of the lift leads to.
  pointing(choices, ".lit.lower", (stop) => {
    const move = stop?.getAttribute("data-move");
    set(landing, { points: move ? square(read(move)) : "" });
  });

  grab(element, craft, {
    moves: () => (scene.legal.empty ? [] : [...choices.children]),
    back: () => place(craft, shown),
    size: () => eye.scale(4, 4, 4),
  });

  const fly = gliding(FLIGHT_MS, ([file, rank, board], arrived) => {
    shown = { file, rank, board };
    draw();
    if (arrived) drawChoices(scene);
    else choices.replaceChildren();
    if (!arrived) drawnChoices = "";
  });

  /** @param {Scene} next */
  function update(next) {
    scene = next;
    eye = view();
    const to = read(next.position);
    const from = target;
    target = to;
    const square = `${"abcdefgh"[to.file]}${to.rank + 1}`;
    set(element, { "aria-label": t("picture.ship_at", { square, board: to.board + 1 }) });
    fly(to.file, to.rank, to.board);
    set(landing, { points: "" });
    const was = next.before ? read(next.before) : from && !same(from, to) ? from : null;
    if (!next.last?.startsWith("ship")) drawTrail(null);
    else if (was || !from) drawTrail(was);
    showGhost(next);
  }

  /** Shows the ship where the chosen move leads to. @param {Scene} next */
  function showGhost({ position, ghost: after, chosen }) {
    const ahead = after ? read(after) : chosen?.startsWith("ship ") ? read(chosen.slice(5)) : null;
    const visible = !!ahead && !same(ahead, read(position));
    ghost.classList.toggle("hidden", !visible);
    if (visible) place(ghost, ahead);
  }

  /** @param {Place | null} from */
  function drawTrail(from) {
    if (!from || !target) {
      set(trail, { d: "M0 0" });
      return set(origin, { points: "" });
    }
    const was = shown;
    shown = target;
    set(trail, { d: `M${at(middle(from))}L${at(middle(target))}` });
    set(origin, { points: square(from, 0.3) });
    shown = was;
  }

  return { element, update };
}

/** Returns the place that a text such as `g6@3` begins with. @type {(text: string) => Place} */
function read(text) {
  const found = /([a-h])([1-8])@([1-8])/.exec(text);
  if (!found) return { file: 0, rank: 0, board: 0 };
  return { file: found[1].charCodeAt(0) - 97, rank: Number(found[2]) - 1, board: Number(found[3]) - 1 };
}

/** @type {(one: Place, other: Place) => boolean} */
function same(one, other) {
  return one.file === other.file && one.rank === other.rank && one.board === other.board;
}

/** Returns a point as text. @param {[number, number]} point */
function at([x, y]) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** @param {[number, number][]} corners */
function points(corners) {
  return corners.map(at).join(" ");
}

/** @param {[number, number][]} corners */
function path(corners) {
  return `M${corners.map(at).join("L")}Z`;
}
