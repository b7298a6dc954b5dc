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
  /** The viewer's matches, once they were asked for. @type {Awaited<ReturnType<typeof record>>} */
  let matches = [];
  let shown = "";

  /** @param {string} level */
  function show(level) {
    shown = level;
    fill(face, portrait(level));
    say(name, `${playerName({ kind: "bot", level })} · ${levelName(level)}`);
    say(line, maybe(`pilot.${level}_line`) ?? "");
    const played = matches.filter(({ against }) => against === level);
    const won = played.filter(({ won }) => won).length;
    say(score, t(played.length ? "pilot.score" : "pilot.no_score", { won, lost: played.length - won }));
  }

  /** Asks how the viewer's matches ended. */
  function ask() {
    record(connection).then(
      (list) => {
        matches = list;
        show(shown);
      },
      () => {},
    );
  }
  return { element, show, ask };
}
