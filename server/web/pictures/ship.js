/** The ship on its square, with two windows for two co-pilots. */
import { s } from "../dom/build.js";
import { area, unique } from "./picture.js";

const TRIM = { ...area("hull-trim", "hull-line", 0.028), "stroke-linejoin": "round" };
/** The hull is lit from the left. */
const SHADES = [
  { offset: 0, "stop-color": "var(--hull-a)" },
  { offset: 0.45, "stop-color": "var(--hull-b)" },
  { offset: 1, "stop-color": "var(--hull-c)" },
];
const WINDOW = { ...area("window", "accent", 0.035), cy: -0.88, r: 0.085 };

export function ship(tag = "g.ship", props = {}) {
  const hull = unique();
  return s(
    tag,
    props,
    s(
      "defs",
      s("linearGradient", { id: hull, x1: 0, x2: 1, y1: 0, y2: 0 }, ...SHADES.map((shade) => s("stop", shade))),
    ),
    s("ellipse", { cx: 0, cy: -0.72, rx: 0.55, ry: 0.86, fill: "transparent" }),
    s("ellipse", { cx: 0, cy: 0, rx: 0.36, ry: 0.17, opacity: 0.34 }),
    s(
      "g.ship-float",
      s("path", { d: "M-.1-.18Q0 .16 .1-.18Z", ...area("accent") }),
      s("path", { d: "M-.2-.56Q-.46-.36-.44-.04L-.17-.24Z", ...TRIM }),
      s("path", { d: "M.2-.56Q.46-.36.44-.04L.17-.24Z", ...TRIM }),
      s("path.ship-hull", {
        ...TRIM,
        d: "M0-1.5C.24-1.24.31-.86.25-.5L.16-.18H-.16L-.25-.5C-.31-.86-.24-1.24 0-1.5Z",
        fill: `url(#${hull})`,
      }),
      s("path", { d: "M0-1.5C.1-1.39.17-1.27.215-1.14Q0-1.2-.215-1.14C-.17-1.27-.1-1.39 0-1.5Z", ...TRIM }),
      s("path", { d: "M-.035-.62H.035V-.1Q0-.02-.035-.1Z", ...TRIM }),
      s("circle", { cx: -0.1, ...WINDOW }),
      s("circle", { cx: 0.1, ...WINDOW }),
    ),
  );
}
