/** German: moves, as what one does and as what somebody did; the second form fits behind "Ada:" and behind "Du:". */
export const moves = {
  "move.fly": "Nach {square} fliegen | nach {square} geflogen",
  "move.lift": "Mit dem Aufzug auf Brett {board} | mit dem Aufzug auf Brett {board}",
  "move.reach": "Nach {square} auf Brett {board} fliegen | nach {square} auf Brett {board} geflogen",
  "move.wait": "{count} vergehen lassen | {count} vergehen lassen",
  "move.nuggets":
    "{count|Einen Nugget|Nuggets} zu {count} Zeit machen | {count|einen Nugget|Nuggets} zu {count} Zeit gemacht",
  "move.spend": "1 zapfen aus {fluid} | 1 aus {fluid} gezapft",
  "move.eject": "{fluid} leeren | {fluid} geleert",
  "move.take_from": "{count} von Haufen {heap} nehmen | {count} von Haufen {heap} genommen",
  "move.take": "{count} nehmen | {count} genommen",
  "move.take_each": "{counts} von den Haufen {heaps} nehmen | {counts} von den Haufen {heaps} genommen",
  "move.move": "{count} von Stufe {step} hinunterlegen | {count} von Stufe {step} hinuntergelegt",
  "move.turn": "Schildkröte {place} umdrehen | Schildkröte {place} umgedreht",
  "move.turn_two": "Schildkröten {place} und {other} umdrehen | Schildkröten {place} und {other} umgedreht",
  "move.knock": "Kegel {place} umwerfen | Kegel {place} umgeworfen",
  "move.knock_two": "Kegel {place} und {other} umwerfen | Kegel {place} und {other} umgeworfen",
  "move.cut": "Kante {edge} schneiden | Kante {edge} geschnitten",
  "move.pass": "Passen | gepasst",
  "move.component": "Spiel {number}: {move} | {move} in Spiel {number}",
};
