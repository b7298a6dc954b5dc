/** The ship on its square, with two windows for two co-pilots. */
import { s } from "../dom/build.js";
import { unique } from "./picture.js";

export function ship() {
  const hull = unique();
  return s(
    "g.ship",
    s(
      "defs",
      s(
        "linearGradient",
        { id: hull, x1: 0, x2: 1, y1: 0, y2: 0 },
        s("stop.hull-light", { offset: 0 }),
        s("stop.hull-mid", { offset: 0.45 }),
        s("stop.hull-dark", { offset: 1 }),
      ),
    ),
    s("ellipse.ship-hit", { cx: 0, cy: -0.72, rx: 0.55, ry: 0.86 }),
    s("ellipse.ship-shadow", { cx: 0, cy: 0, rx: 0.36, ry: 0.17 }),
    s(
      "g.ship-float",
      s("path.ship-flame", { d: "M-.1-.18Q0 .16 .1-.18Z" }),
      s("path.ship-fin", { d: "M-.2-.56Q-.46-.36-.44-.04L-.17-.24Z" }),
      s("path.ship-fin", { d: "M.2-.56Q.46-.36.44-.04L.17-.24Z" }),
      s("path.ship-hull", {
        d: "M0-1.5C.24-1.24.31-.86.25-.5L.16-.18H-.16L-.25-.5C-.31-.86-.24-1.24 0-1.5Z",
        fill: `url(#${hull})`,
      }),
      s("path.ship-nose", { d: "M0-1.5C.1-1.39.17-1.27.215-1.14Q0-1.2-.215-1.14C-.17-1.27-.1-1.39 0-1.5Z" }),
      s("path.ship-fin", { d: "M-.035-.62H.035V-.1Q0-.02-.035-.1Z" }),
      s("circle.ship-window", { cx: -0.1, cy: -0.88, r: 0.085 }),
      s("circle.ship-window", { cx: 0.1, cy: -0.88, r: 0.085 }),
    ),
  );
}
