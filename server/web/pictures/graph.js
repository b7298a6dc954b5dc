/**
 * The layout of a plant: every vertex stands above the ground and a little above the one that carries it, and
 * parallel edges stand side by side. Only text and numbers; nothing is drawn here.
 *
 * @typedef {{ name: string, a: number, b: number, twin: number, twins: number }} Edge
 * @typedef {object} Layout
 * @property {Edge[]} edges
 * @property {Map<number, [number, number]>} places
 * @property {Map<string, number>} roots
 * @property {number} width
 * @property {number} height
 */

const TIDY_ROUNDS = 24;

/**
 * Parses the edges of a position.
 * @param {string} text such as `0-1,1-1,1-2`
 * @returns {Edge[]}
 */
export function edges(text) {
  if (text.trim() === "-" || !text.trim()) return [];
  /** @type {Map<string, number>} */
  const seen = new Map();
  const names = text.trim().split(",");
  const twins = new Map();
  for (const name of names) twins.set(name, (twins.get(name) ?? 0) + 1);
  return names.map((name) => {
    const [a, b] = name.split("-").map(Number);
    const twin = seen.get(name) ?? 0;
    seen.set(name, twin + 1);
    return { name, a, b, twin, twins: twins.get(name) ?? 1 };
  });
}

/** Lays out a plant. One unit is the usual length of an edge. @type {(text: string) => Layout} */
export function layout(text) {
  const all = edges(text);
  /** @type {Map<number, number[]>} */
  const next = new Map();
  const join = (/** @type {number} */ a, /** @type {number} */ b) => next.set(a, [...(next.get(a) ?? []), b]);
  for (const { a, b } of all) {
    if (a === b) continue;
    join(a, b);
    join(b, a);
  }
  // Layers by distance from the ground, and the tree of the breadth-first search.
  /** @type {Map<number, number>} */
  const level = new Map([[0, 0]]);
  /** @type {Map<number, number[]>} */
  const children = new Map();
  const order = [0];
  for (const here of order) {
    for (const there of [...new Set(next.get(here) ?? [])].sort((a, b) => a - b)) {
      if (level.has(there)) continue;
      level.set(there, (level.get(here) ?? 0) + 1);
      children.set(here, [...(children.get(here) ?? []), there]);
      order.push(there);
    }
  }
  // Leaves are placed in a row; every other vertex is centred over its children.
  /** @type {Map<number, number>} */
  const across = new Map();
  let free = 0;
  const after = [...walk(0, children)];
  for (const vertex of after) {
    const carried = children.get(vertex) ?? [];
    if (!carried.length) across.set(vertex, free++);
    else across.set(vertex, carried.reduce((sum, child) => sum + (across.get(child) ?? 0), 0) / carried.length);
  }
  relax(order, level, next, across);
  const places = new Map(
    order
      .filter((vertex) => vertex !== 0)
      .map((vertex) => [vertex, /** @type {[number, number]} */ ([across.get(vertex) ?? 0, level.get(vertex) ?? 0])]),
  );
  // Edges from the ground start below their upper end; parallel ones stand apart.
  const roots = new Map();
  for (const { name, a, b, twin, twins } of all) {
    if (a !== 0) continue;
    const x = b === 0 ? free++ : (across.get(b) ?? 0);
    roots.set(`${name}#${twin}`, x + (b === 0 ? twin * 0.3 : (twin - (twins - 1) / 2) * 0.35));
  }
  const height = Math.max(1, ...[...places.values()].map(([, y]) => y));
  return { edges: all, places, roots, width: Math.max(1, free - 1), height };
}

/**
 * Returns the vertices of a tree, children before their parent.
 * @param {number} root
 * @param {Map<number, number[]>} children
 */
function* walk(root, children) {
  /** @type {[number, number][]} */
  const path = [[root, 0]];
  while (path.length) {
    const top = path[path.length - 1];
    const carried = children.get(top[0]) ?? [];
    if (top[1] < carried.length) path.push([carried[top[1]++], 0]);
    else {
      yield top[0];
      path.pop();
    }
  }
}

/**
 * Moves neighbours together and keeps the vertices of one layer apart.
 * @param {number[]} order
 * @param {Map<number, number>} level
 * @param {Map<number, number[]>} next
 * @param {Map<number, number>} across
 */
function relax(order, level, next, across) {
  if (order.length > 400) return;
  const layers = new Map();
  for (const vertex of order.slice(1)) {
    layers.set(level.get(vertex), [...(layers.get(level.get(vertex)) ?? []), vertex]);
  }
  for (let round = 0; round < TIDY_ROUNDS; round++) {
    for (const vertex of order.slice(1)) {
      const near = (next.get(vertex) ?? []).filter((other) => other !== 0);
      if (!near.length) continue;
      const middle = near.reduce((sum, other) => sum + (across.get(other) ?? 0), 0) / near.length;
      across.set(vertex, (across.get(vertex) ?? 0) * 0.7 + middle * 0.3);
    }
    for (const layer of layers.values()) {
      layer.sort((/** @type {number} */ a, /** @type {number} */ b) => (across.get(a) ?? 0) - (across.get(b) ?? 0));
      for (let index = 1; index < layer.length; index++) {
        const gap = (across.get(layer[index]) ?? 0) - (across.get(layer[index - 1]) ?? 0);
        if (gap >= 1) continue;
        const push = (1 - gap) / 2;
        across.set(layer[index - 1], (across.get(layer[index - 1]) ?? 0) - push);
        across.set(layer[index], (across.get(layer[index]) ?? 0) + push);
      }
    }
  }
}
