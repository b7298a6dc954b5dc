/**
 * The nimber after each ply as a bar chart, each bar in the colour of the seat that could win there. A bar on the
 * ground means that the player who just moved is winning. Moves that gave a won position away are marked.
 *
 * @import { ReviewPly } from "../../wire/types.js"
 */
import { h, s } from "../../dom/build.js";
import { line } from "../../pictures/picture.js";
import { t } from "../../words/words.js";
import { other } from "../player_names.js";

const [WIDTH, HEIGHT, FOOT] = [320, 92, 14];

/** @type {(host: HTMLElement, plies: ReviewPly[], view: import("../match.js").ShownMatch) => void} */
export function plot(host, plies, { ply, look }) {
  const known = plies.some(({ nimber, outcome }) => typeof nimber === "number" || outcome);
  const key = `${plies.map(({ version }) => version).join()}:${ply}`;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  if (!known || plies.length < 2) return host.replaceChildren();
  const most = Math.max(1, ...plies.map(({ nimber }) => nimber ?? 0));
  const step = WIDTH / plies.length;
  const ground = HEIGHT - FOOT;
  const mover = (/** @type {number} */ index) => plies[index].seat ?? other(plies[1].seat ?? "creator");
  const bars = plies.map(({ nimber, outcome, gave_away: gaveAway }, index) => {
    const x = index * step;
    const lost = outcome === "P" || nimber === 0;
    const winner = lost ? mover(index) : other(mover(index));
    // The square root keeps small nimbers visible beside large ones.
    const height = lost ? 3 : Math.max(6, Math.sqrt((nimber ?? most / 4) / most) * (ground - 16));
    const column = { x: x + step * 0.14, y: ground - height, width: step * 0.72, height };
    return s(
      `g.bar-mark.${winner}${gaveAway ? ".gave-away" : ""}${index === ply ? ".here" : ""}`,
      { onclick: () => look(index) },
      s("title", t("analysis.plot_text", { ply: index, nimber: nimber ?? "?" })),
      s("rect.hit", { x, y: 0, width: step, height: HEIGHT }),
      s("rect.column", { ...column, rx: Math.min(2, step / 4) }),
      gaveAway ? s("path", { d: `M${x + step / 2 - 4} ${ground + 4}l8 8m0-8l-8 8`, ...line("danger", 2.5) }) : null,
    );
  });
  const summary = `${t("analysis.plot")}: ${plies.map(({ nimber }) => nimber ?? "?").join(", ")}`;
  const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary };
  const floor = s("path", { d: `M0 ${ground}H${WIDTH}`, ...line("line-strong", 1) });
  host.replaceChildren(h("h3", t("analysis.plot")), s("svg.plot", frame, floor, ...bars));
}
