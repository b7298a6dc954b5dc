/**
 * Green Hackenbush: a plant that grows from the ground. After a cut, everything that is no longer connected to the
 * ground falls; the next position says what that is. The plant is laid out once, for the start, so that only falling
 * edges move.
 *
 * @import { Edge, Layout } from "./graph.js"
 */
import { s, set } from "../dom/build.js";
import { keyed } from "../dom/keyed.js";
import { edges, layout } from "./graph.js";
import { area, letters, line, offer } from "./picture.js";

const [WIDE, HIGH] = [84, 78];
/** The least and the most angle that a loop fills. */
const [LOOP_LEAST, LOOP_MOST] = [0.7, 1.5];

export function plant() {
  const ground = s("g", { "aria-hidden": "true" });
  const stems = s("g");
  const knots = s("g", { "aria-hidden": "true" });
  const cut = s("path.cut-last", { "aria-hidden": "true", ...line("hull-trim", 3, "3 8", "round") });
  const element = s("svg.plant", ground, cut, stems, knots);
  /** @type {Layout | null} */
  let form = null;
  let grown = "";
  /** @typedef {{ key: string, name: string, falls: boolean, scene: Scene }} Stem */
  const makeStem = () => {
    const hit = s("path.stem-hit", {
      fill: "none",
      stroke: "transparent",
      "stroke-width": 26,
      "pointer-events": "stroke",
    });
    const [edge, stem] = [s("path.stem-edge", line("stem-edge", 13)), s("path.stem-line", line("plant", 8))];
    return s("g.stem", { "stroke-linecap": "round" }, hit, edge, stem);
  };
  /** @type {(stem: Element, shown: Stem) => void} */
  const showStem = (stem, { key, name, falls, scene }) => {
    const d = form && curve(form, key);
    for (const line of stem.children) set(line, { d });
    offer(stem, scene, `cut ${name}`);
    stem.classList.toggle("falls", falls);
  };
  const showStems = keyed(stems, ({ key }) => key, makeStem, showStem);
  // Cuts and explanations name vertices by numbers, which are seen together with the marks of winning moves.
  const makeKnot = (/** @type {number} */ vertex) =>
    s(
      "g.knot",
      s("circle", { r: 8, ...area("knot", "bg") }),
      s("text.knot-name", { y: 5, ...letters(14, 700, "bg") }, vertex),
    );
  const showKnots = keyed(knots, Number, makeKnot, (knot, vertex) => {
    const [x, y] = form ? place(form, vertex) : [0, 0];
    set(knot, { transform: `translate(${x} ${y})` });
  });

  /** @param {Scene} scene */
  function update(scene) {
    if (scene.start !== grown || !form) {
      grown = scene.start;
      form = layout(scene.start);
      drawGround(form);
    }
    const plan = form;
    const standing = edges(scene.position);
    const stays = new Set(edges(scene.ghost ?? scene.position).map(({ key }) => key));
    const stem = (/** @type {Edge} */ { key, name }) => ({ key, name, falls: !stays.has(key), scene });
    showStems(standing.map(stem));
    set(cut, { d: gone(plan, scene) });
    element.classList.toggle("numbered", !!scene.winning);
    const alive = new Set(standing.flatMap(({ a, b }) => [a, b]));
    showKnots([...plan.places.keys()].filter((vertex) => alive.has(vertex)));
  }

  /**
   * Returns the paths of what the last move cut off; of its edge alone if the position before is not known.
   * @type {(plan: Layout, scene: Scene) => string}
   */
  function gone(plan, { last, before, position }) {
    if (!last) return "M0 0";
    const stays = new Set(edges(position).map(({ key }) => key));
    const all = before ? edges(before) : [...plan.edges.values()].filter(({ name }) => `cut ${name}` === last);
    const fallen = all.filter(({ key }) => !stays.has(key));
    return fallen.map(({ key }) => curve(plan, key)).join("") || "M0 0";
  }

  /** @param {Layout} plan */
  function drawGround(plan) {
    const xs = [...[...plan.places.values()].map(([x]) => x), ...plan.roots.values()];
    const loops = [...plan.edges.values()].filter(({ a, b }) => a === b).map(({ twin }) => twin);
    const margin = 70 + 24 * Math.max(0, ...loops.map((twin) => twin - 1));
    const [left, right] = [Math.min(0, ...xs) * WIDE - margin, Math.max(0, ...xs) * WIDE + margin];
    const top = -plan.height * HIGH - margin;
    set(element, { viewBox: `${left} ${top} ${right - left} ${54 - top}` });
    ground.replaceChildren(
      s("path", { d: `M${left} 6Q${(left + right) / 2} -6 ${right} 6V60H${left}Z`, ...area("earth") }),
      s("path", { d: `M${left} 32Q${(left + right) / 2} 20 ${right} 32V60H${left}Z`, ...area("earth-deep") }),
      s("path", { d: `M${left} 6Q${(left + right) / 2} -6 ${right} 6`, ...line("turf", 7) }),
      ...Array.from({ length: Math.floor((right - left) / 26) }, (_, index) =>
        s("path", {
          ...line("plant", 3, undefined, "round"),
          d: `M${left + 12 + index * 26} 6q${index % 2 ? 5 : -5} -8 ${index % 3 ? 2 : -3} -14`,
        }),
      ),
    );
  }
  return { element, update };
}

/** Returns the path of an edge of the start. @type {(plan: Layout, key: string) => string} */
function curve(plan, key) {
  const edge = plan.edges.get(key);
  if (!edge) return "";
  const { a, b, twin, twins } = edge;
  const aside = twin - (twins - 1) / 2;
  const root = plan.roots.get(key);
  if (a === b && a === 0) {
    const [x, h] = [(root ?? 0) * WIDE, 60 + twin * 14];
    return `M${x - 22} 2C${x - 30} ${-h} ${x + 30} ${-h} ${x + 22} 2`;
  }
  if (a === b) {
    const [x, y] = place(plan, a);
    const directions = loopDirections(plan, a);
    const { angle, room } = directions[twin % directions.length];
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    // More loops than places lie around each other.
    const around = Math.floor(twin / directions.length);
    const far = 46 + around * 28 + 26 * (LOOP_MOST - room);
    const wide = far * Math.tan(room / 2) + around * 8;
    const [cx, cy] = [x + dx * far, y + dy * far];
    return `M${x} ${y}C${cx + dy * wide} ${cy - dx * wide} ${cx - dy * wide} ${cy + dx * wide} ${x} ${y}`;
  }
  const [x, y] = a === 0 ? [(root ?? 0) * WIDE, 2] : place(plan, a);
  const [u, v] = place(plan, b);
  const level = Math.abs(y - v) < 8;
  const bend = aside * (a === 0 ? 10 : 46);
  const [dx, dy] = [u - x, v - y];
  const length = Math.hypot(dx, dy) || 1;
  const [mx, my] = [(x + u) / 2 - (dy / length) * bend, (y + v) / 2 + (dx / length) * bend - (level ? 14 : 0)];
  return `M${x} ${y}Q${mx} ${my} ${u} ${v}`;
}

/**
 * Returns the directions of a vertex's loops, each with the angle that it may fill: the loops share the gaps between
 * the vertex's other edges, while there is room. There is at least one.
 * @type {(plan: Layout, vertex: number) => { angle: number, room: number }[]}
 */
function loopDirections(plan, vertex) {
  const [x, y] = place(plan, vertex);
  const own = [...plan.edges.values()].filter(({ a, b }) => a === vertex || b === vertex);
  const angles = own
    .filter(({ a, b }) => a !== b)
    .map(({ key, a, b }) => {
      const other = a === vertex ? b : a;
      const root = plan.roots.get(key) ?? 0;
      const [u, v] = other === 0 ? [root * WIDE, 2] : place(plan, other);
      return Math.atan2(v - y, u - x);
    })
    .sort((one, other) => one - other);
  const gaps = angles.map((begin, index) => {
    const width = (angles[index + 1] ?? angles[0] + 2 * Math.PI) - begin;
    // Rounding must not decide which of two equal gaps is the first.
    return { begin, width: Math.round(width * 1e6) / 1e6, loops: 0 };
  });
  if (!gaps.length) return [{ angle: -Math.PI / 2, room: LOOP_MOST }];
  const loops = own.length - angles.length;
  const room = (/** @type {typeof gaps[0]} */ { width, loops }) => width / (loops + 1);
  for (let loop = 0; loop < loops; loop++) {
    const roomiest = gaps.reduce((best, gap) => (room(gap) > room(best) ? gap : best));
    if (loop > 0 && room(roomiest) < LOOP_LEAST) break;
    roomiest.loops++;
  }
  return gaps.flatMap(({ begin, width, loops }) =>
    Array.from({ length: loops }, (_, index) => ({
      angle: begin + (width * (index + 1)) / (loops + 1),
      room: Math.min(LOOP_MOST, width / (loops + 1)),
    })),
  );
}

/** @type {(plan: Layout, vertex: number) => [number, number]} */
function place(plan, vertex) {
  const [x, y] = plan.places.get(vertex) ?? [0, 0];
  return [x * WIDE, -y * HIGH];
}
