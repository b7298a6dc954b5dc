/** German: moves, as what one does and as what somebody did; the second form fits behind "Ada:" and behind "Du:". */
export const moves = {
  "move.fly": "Nach {square} fliegen | nach {square} geflogen | nach {square} fliegen",
  "move.lift": "Mit dem Aufzug auf Brett {board} | mit dem Aufzug auf Brett {board} | mit dem Aufzug auf Brett {board}",
  "move.reach":
    "Nach {square} auf Brett {board} fliegen | nach {square} auf Brett {board} geflogen | nach {square} auf " +
    "Brett {board} fliegen",
  "move.wait": "{count} vergehen lassen | {count} vergehen lassen | die Zeit von {from} auf {to} drehen",
  "move.nuggets":
    "{count|Einen Nugget|Nuggets} zu {count} Zeit machen | {count|einen Nugget|Nuggets} zu {count} Zeit " +
    "gemacht | die Zeit von {from} auf {to} drehen",
  "move.spend": "1 zapfen aus {fluid} | 1 aus {fluid} gezapft | 1 zapfen aus {fluid}",
  "move.eject": "{fluid} leeren | {fluid} geleert | {fluid} leeren",
  "move.take_from":
    "{count} von Haufen {heap} nehmen | {count} von Haufen {heap} genommen | {count} von Haufen {heap} nehmen",
  "move.take": "{count} nehmen | {count} genommen | {count} nehmen",
  "move.take_each":
    "{counts} von den Haufen {heaps} nehmen | {counts} von den Haufen {heaps} genommen | {counts} von den " +
    "Haufen {heaps} nehmen",
  "move.move":
    "{count} von Stufe {step} hinunterlegen | {count} von Stufe {step} hinuntergelegt | {count} von Stufe " +
    "{step} hinunterlegen",
  "move.turn": "Schildkröte {place} umdrehen | Schildkröte {place} umgedreht | Schildkröte {place} umdrehen",
  "move.turn_two":
    "Schildkröten {place} und {other} umdrehen | Schildkröten {place} und {other} umgedreht | Schildkröten " +
    "{place} und {other} umdrehen",
  "move.knock": "Kegel {place} umwerfen | Kegel {place} umgeworfen | Kegel {place} umwerfen",
  "move.knock_two":
    "Kegel {place} und {other} umwerfen | Kegel {place} und {other} umgeworfen | Kegel {place} und {other} " +
    "umwerfen",
  "move.cut": "Kante {edge} schneiden | Kante {edge} geschnitten | Kante {edge} schneiden",
  "move.pass": "Passen | gepasst | passen",
  "move.component": "Spiel {number}: {move} | {move} in Spiel {number} | {move} in Spiel {number}",
};
