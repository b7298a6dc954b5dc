/** A bot's card: its portrait, its name, one true line about how it plays, and the viewer's score against it. */
import { fill, h, say } from "../dom/build.js";
import { portrait } from "../pictures/portraits.js";
import { record } from "../wire/record.js";
import { maybe, t } from "../words/words.js";
import { levelName, playerName } from "./player_names.js";

/** @param {import("../main.js").Page} page */
export function pilotCard({ connection }) {
  const [face, name, line, score] = [h("span"), h("b"), h("p"), h("p.quiet")];
  const element = h("div.pilot", face, h("div", name, line, score));
  /** The matches won and lost against each level, once they were asked for. @type {Map<string, [number, number]>} */
  const scores = new Map();
  let shown = "";

  /** @param {string} level */
  function show(level) {
    shown = level;
    fill(face, portrait(level));
    say(name, `${playerName({ kind: "bot", level })} · ${levelName(level)}`);
    say(line, maybe(`pilot.${level}_line`) ?? "");
    const [won, lost] = scores.get(level) ?? [0, 0];
    say(score, won + lost ? t("pilot.score", { won, lost }) : t("pilot.no_score"));
  }

  /** Asks how the viewer's matches ended. */
  function ask() {
    record(connection).then(
      (matches) => {
        scores.clear();
        for (const { against = "", won } of matches) {
          const [wins, losses] = scores.get(against) ?? [0, 0];
          scores.set(against, won ? [wins + 1, losses] : [wins, losses + 1]);
        }
        show(shown);
      },
      () => {},
    );
  }
  return { element, show, ask };
}
