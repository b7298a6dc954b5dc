/**
 * A perspective camera above a stack of boards: it projects a point in space to a point of the picture. One unit is one
 * square. The corner a1 is nearest to the viewer, so that every move of the ship comes nearer: lower files, lower
 * ranks and lower boards lead in three different directions, and none covers another.
 */
export const SIDE = 8;
export const BOARDS = 8;

/** The turn in degrees, the distance, and the width of the picture. */
const [YAW, DISTANCE, SIZE] = [45, 34, 1000];

/** The pitch is in degrees, the gap the distance between two boards. @param {{ pitch: number, gap: number }} view */
function camera({ pitch, gap }) {
  // The extra height of the boards above the ship.
  const lift = gap * 0.55;
  const middle = ((BOARDS - 1) * gap) / 2;
  const [tilt, turn] = [pitch, YAW].map((angle) => (angle * Math.PI) / 180);
  const [cosTilt, sinTilt] = [Math.cos(tilt), Math.sin(tilt)];
  const [cosTurn, sinTurn] = [Math.cos(turn), Math.sin(turn)];
  /** @type {(x: number, y: number, z: number) => { across: number, height: number, depth: number }} */
  const seen = (x, y, z) => {
    const [a, b, up] = [x - SIDE / 2, y - SIDE / 2, z - middle];
    const across = a * cosTurn - b * sinTurn;
    const away = a * sinTurn + b * cosTurn;
    return { across, height: up * cosTilt + away * sinTilt, depth: DISTANCE + away * cosTilt - up * sinTilt };
  };
  const zoom = (SIZE / 11.6) * DISTANCE;
  /** @type {(x: number, y: number, z: number) => [number, number]} */
  const project = (x, y, z) => {
    const { across, height, depth } = seen(x, y, z);
    return [(across * zoom) / depth, (-height * zoom) / depth];
  };
  /** The size of one unit at a point. @type {(x: number, y: number, z: number) => number} */
  const scale = (x, y, z) => zoom / seen(x, y, z).depth;
  const top = (BOARDS - 1) * gap + lift;
  const corners = [0, top].flatMap((z) => [0, SIDE].flatMap((x) => [0, SIDE].map((y) => project(x, y, z))));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  // The middle of the lift beside the boards.
  const shaft = Math.min(...xs) - 62;
  const [left, right] = [shaft - 52, Math.max(...xs) + 24];
  const [head, foot] = [Math.min(...ys) - 24, Math.max(...ys) + 62];
  return { gap, lift, project, scale, shaft, box: [left, head, right - left, foot - head] };
}

/** The camera for wide windows: the whole stack at a glance. */
export const FAR = camera({ pitch: 33, gap: 1.02 });
/** The camera for phones: steeper, so that squares are large enough to tap. */
export const STEEP = camera({ pitch: 56, gap: 1.6 });
