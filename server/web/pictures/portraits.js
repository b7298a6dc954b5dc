/** The portraits of the bots' levels: one ship each, of one family, in colours of their own. */
import { s } from "../dom/build.js";
import { area, line } from "./picture.js";
import { ship } from "./ship.js";

/** A look: how large the ship is and how it leans, its colours, and what it wears. */
const LOOKS = {
  // A small one, patched, and with one window that is wide open.
  novice: {
    place: "translate(.13 -.3) rotate(-14) scale(.78)",
    colors: { "--hull-trim": "var(--plant)" },
    wears: () => [
      s("circle", { cx: 0, cy: -0.88, r: 0.21, ...area("hull-a", "hull-line", 0.035) }),
      s("circle", { cx: 0.04, cy: -0.9, r: 0.11, ...area("window") }),
      s("circle", { cx: 0.08, cy: -0.94, r: 0.04, ...area("hull-a") }),
      s("path", { d: "M-.22-.42L-.04-.56M-.17-.57L-.08-.42", ...line("coin-side", 0.06, undefined, "round") }),
    ],
  },
  // One with a scarf in the wind.
  casual: {
    place: "translate(0 -.1) rotate(8) scale(.92)",
    colors: {},
    wears: () => [
      s("path", { d: "M-.28-.66Q0-.52.28-.66L.26-.5Q0-.38-.26-.5Z", ...area("fib", "hull-line", 0.028) }),
      s("path", { d: "M.2-.56Q.46-.7.52-.5T.84-.44L.8-.28Q.62-.2.5-.34T.24-.42Z", ...area("fib", "hull-line", 0.028) }),
    ],
  },
  // A racer with stripes and a star.
  strong: {
    place: "translate(0 -.04) scale(1)",
    colors: { "--hull-trim": "var(--fob)" },
    wears: () => [
      s("path", { d: "M-.27-.62H.27M-.25-.52H.25", ...line("fob", 0.045) }),
      s("path", {
        d: "M0-1.34L.045-1.22.17-1.22.07-1.145.11-1.02 0-1.1-.11-1.02-.07-1.145-.17-1.22-.045-1.22Z",
        ...area("coin", "hull-line", 0.02),
      }),
    ],
  },
  // A dark one with a monocle and a collar.
  perfect: {
    place: "translate(0 -.04) scale(1)",
    colors: {
      "--hull-trim": "var(--plate-dark)",
      "--hull-a": "#8d97cf",
      "--hull-b": "#5c66a6",
      "--hull-c": "#2b3263",
    },
    wears: () => [
      s("circle", { cx: 0.11, cy: -0.88, r: 0.15, ...line("coin", 0.045) }),
      s("path", { d: "M.24-.8Q.34-.62.22-.46", ...line("coin", 0.028) }),
      s("path", {
        d: "M0-.52L-.17-.62V-.42ZM0-.52L.17-.62V-.42Z",
        fill: "#fff",
        stroke: "var(--hull-line)",
        "stroke-width": 0.025,
      }),
      s("path", { d: "M-.2-1.02H-.02M.03-1.1L.21-1.06", ...line("hull-line", 0.05, undefined, "round") }),
    ],
  },
};

/** Returns the portrait of a bot's level; a plain ship for one that is newer than this page. @param {string} level */
export function portrait(level) {
  const { place, colors, wears } = LOOKS[/** @type {keyof typeof LOOKS} */ (level)] ?? LOOKS.casual;
  const around = s("circle", { cy: -0.8, r: 0.97, ...area("raised", "line-strong", 0.05) });
  // It is no ship of a position.
  const craft = s("g", { transform: place }, ship("g"), ...wears());
  return s("svg.portrait", { viewBox: "-1 -1.8 2 2", "aria-hidden": "true", ...colors }, around, craft);
}
