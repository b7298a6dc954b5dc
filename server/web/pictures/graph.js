/**
 * The layout of a plant: every vertex stands above the ground and a little above the one that carries it, and
 * parallel edges stand side by side. Only text and numbers; nothing is drawn here.
 *
 * @typedef {{ key: string, name: string, a: number, b: number, twin: number, twins: number }} Edge
 * @typedef {{ name: number, level: number, across: number, near: Vertex[], carried: Vertex[] }} Vertex
 *
 * @typedef {object} Layout
 * @property {Map<string, Edge>} edges   by their keys
 * @property {Map<number, [number, number]>} places
 * @property {Map<string, number>} roots   where the edges from the ground begin
 * @property {number} height
 */

const TIDY_ROUNDS = 24;
/** The most vertices that are moved together; a larger plant stays as its tree stands. */
const TIDY_VERTICES_MAX = 400;

/** Parses the edges of a position, such as `0-1,1-1,1-2`. @type {(text: string) => Edge[]} */
export function edges(text) {
  /** @type {Map<string, Edge[]>} */
  const alike = new Map();
  const all = (text.match(/\d+-\d+/g) ?? []).map((name) => {
    const twins = alike.get(name) ?? [];
    const [a, b] = name.split("-").map(Number);
    const edge = { key: `${name}#${twins.length}`, name, a, b, twin: twins.length, twins: 0 };
    alike.set(name, twins);
    twins.push(edge);
    return edge;
  });
  for (const edge of all) edge.twins = alike.get(edge.name)?.length ?? 0;
  return all;
}

/** Lays out a plant. One unit is the usual length of an edge. @type {(text: string) => Layout} */
export function layout(text) {
  const all = edges(text);
  /** @type {Map<number, Vertex>} */
  const vertices = new Map();
  const vertex = (/** @type {number} */ name) => {
    const known = vertices.get(name) ?? { name, level: 0, across: 0, near: [], carried: [] };
    vertices.set(name, known);
    return known;
  };
  const ground = vertex(0);
  for (const { a, b } of all) {
    if (a === b) continue;
    vertex(a).near.push(vertex(b));
    vertex(b).near.push(vertex(a));
  }
  // Layers by distance from the ground, and the tree of the breadth-first search.
  const reached = new Set([ground]);
  for (const here of reached) {
    for (const there of [...here.near].sort((one, other) => one.name - other.name)) {
      if (reached.has(there)) continue;
      there.level = here.level + 1;
      here.carried.push(there);
      reached.add(there);
    }
  }
  const grown = [...reached].slice(1);
  let free = placeTree(ground);
  if (grown.length < TIDY_VERTICES_MAX) relax(grown);
  /** @type {Layout["places"]} */
  const places = new Map(grown.map(({ name, across, level }) => [name, [across, level]]));
  // Edges from the ground start below their upper end; parallel ones stand apart.
  const roots = new Map();
  for (const { key, a, b, twin, twins } of all) {
    const root = b === 0 ? free++ + twin * 0.3 : vertex(b).across + (twin - (twins - 1) / 2) * 0.35;
    if (a === 0) roots.set(key, root);
  }
  const height = Math.max(1, ...grown.map(({ level }) => level));
  return { edges: new Map(all.map((edge) => [edge.key, edge])), places, roots, height };
}

/**
 * Places the leaves of a tree in a row, and every other vertex over the middle of those that it carries. Returns the
 * next free place.
 * @param {Vertex} root
 */
function placeTree(root) {
  let free = 0;
  const order = [];
  const pending = [root];
  for (let here = pending.pop(); here; here = pending.pop()) {
    order.push(here);
    pending.push(...here.carried.toReversed());
    if (!here.carried.length) here.across = free++;
  }
  for (const here of order.reverse()) if (here.carried.length) here.across = middle(here.carried);
  return free;
}

/** @param {Vertex[]} vertices */
function middle(vertices) {
  return vertices.reduce((sum, { across }) => sum + across, 0) / vertices.length;
}

/** Moves neighbours together and keeps the vertices of one layer apart. @param {Vertex[]} vertices */
function relax(vertices) {
  /** @type {Vertex[][]} */
  const layers = [];
  for (const vertex of vertices) (layers[vertex.level] ??= []).push(vertex);
  for (let round = 0; round < TIDY_ROUNDS; round++) {
    for (const vertex of vertices) {
      const near = vertex.near.filter(({ name }) => name !== 0);
      if (near.length) vertex.across = vertex.across * 0.7 + middle(near) * 0.3;
    }
    for (const layer of layers.slice(1)) {
      layer.sort((one, other) => one.across - other.across);
      layer.slice(1).forEach((right, index) => {
        const push = (1 - (right.across - layer[index].across)) / 2;
        if (push <= 0) return;
        layer[index].across -= push;
        right.across += push;
      });
    }
  }
}
