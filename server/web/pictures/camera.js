/**
 * A camera that looks down at a stack of boards: from a place in space to a place on the paper. One unit is one square.
 * The corner a1 is nearest to the eye, so that every move of the ship comes nearer: lowering the file leads one way
 * down, lowering the rank the other way down, and lowering the board straight down, and no two of them cover each
 * other.
 */
export const SIDE = 8;
export const BOARDS = 8;

/**
 * @typedef {object} Camera
 * @property {number} gap     between two boards
 * @property {number} lift    how far the boards above the ship are raised
 * @property {(x: number, y: number, z: number) => [number, number]} project
 * @property {(x: number, y: number, z: number) => number} scale   the size of one unit there
 * @property {[number, number, number, number]} box       all that can ever be seen
 */

/**
 * @param {{ pitch: number, gap: number, yaw?: number, distance?: number, size?: number }} view angles in degrees
 * @returns {Camera}
 */
export function camera({ pitch, gap, yaw = 45, distance = 34, size = 1000 }) {
  const lift = gap * 0.55;
  const middle = ((BOARDS - 1) * gap) / 2;
  const [tilt, turn] = [pitch, yaw].map((angle) => (angle * Math.PI) / 180);
  /**
   * @param {number} x
   * @param {number} y
   * @param {number} z
   */
  const seen = (x, y, z) => {
    const [a, b, up] = [x - SIDE / 2, y - SIDE / 2, z - middle];
    const across = a * Math.cos(turn) - b * Math.sin(turn);
    const away = a * Math.sin(turn) + b * Math.cos(turn);
    return {
      across,
      height: up * Math.cos(tilt) + away * Math.sin(tilt),
      depth: distance + away * Math.cos(tilt) - up * Math.sin(tilt),
    };
  };
  const zoom = (size / 11.6) * distance;
  /** @type {Camera["project"]} */
  const project = (x, y, z) => {
    const { across, height, depth } = seen(x, y, z);
    return [(across * zoom) / depth, (-height * zoom) / depth];
  };
  /** @type {Camera["scale"]} */
  const scale = (x, y, z) => zoom / seen(x, y, z).depth;
  const top = (BOARDS - 1) * gap + lift;
  const corners = [0, top].flatMap((z) => [0, SIDE].flatMap((x) => [0, SIDE].map((y) => project(x, y, z))));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, right] = [Math.min(...xs) - 58, Math.max(...xs) + 24];
  const [head, foot] = [Math.min(...ys) - 24, Math.max(...ys) + 62];
  return { gap, lift, project, scale, box: [left, head, right - left, foot - head] };
}

/** For a wide window: the whole stack at a glance. */
export const FAR = camera({ pitch: 33, gap: 1.02 });
/** For a phone: steeper, so that squares are large enough for fingers. */
export const STEEP = camera({ pitch: 47, gap: 1.5 });
