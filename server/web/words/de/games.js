/**
 * German: the games, their pictures and moves. The sentences of "how to play" stand under the English ones that the
 * server sends.
 */
export const games = {
  "game.rooks.title": "Türme",
  "game.poker-nim.title": "Poker-Nim",
  "game.nim-muskateers.title": "Nim-Musketiere",
  "game.misere-nim.title": "Misère-Nim",
  "game.take-fibonacci.title": "Nimm Fibonacci",
  "game.fibonacci-nim.title": "Fibonacci-Nim",
  "game.misere-fibonacci-nim.title": "Misère-Fibonacci-Nim",
  "game.turning-turtles.title": "Schildkröten drehen",
  "game.staircase-nim.title": "Treppen-Nim",
  "game.wythoff-nim.title": "Wythoffs Nim",
  "game.green-hackenbush.title": "Grünes Hackenbush",
  "game.ryuo-nim.title": "Ryūō-Nim",
  "game.ryuo-nim-3d.title": "Dreidimensionales Ryūō-Nim",
  "game.ryuo-nim-pass.title": "Ryūō-Nim mit Passen",
  "game.kayles.title": "Kegeln (Kayles)",
  "game.sum.title": "Summe von Spielen",
  "Two players take turns, and both may make exactly the same moves. No luck, nothing hidden, no draw.":
    "Zwei Spieler ziehen abwechselnd, und beide dürfen genau dieselben Züge machen. Kein Zufall, kein Remis.",
  "Whoever makes the last move wins. Whoever cannot move has lost.":
    "Wer den letzten Zug macht, gewinnt. Wer nicht ziehen kann, hat verloren.",
  "Misère: whoever makes the last move LOSES. Leave the last move to the other one!":
    "Misère: Wer den letzten Zug macht, VERLIERT. Überlass ihn der anderen Seite!",
  "Two co-pilots share one ship. The last one who can still steer it arrives; the other one is erased from reality.":
    "Zwei Kopiloten teilen sich ein Schiff. Wer es als Letzter noch steuern kann, kommt an; der andere wird aus der " +
    "Wirklichkeit gelöscht.",
  "Fly left, towards file a.": "Flieg nach links, zur Linie a hin.",
  "Fly down the board, towards rank 1.": "Flieg die Linie entlang, zur Reihe 1 hin.",
  "Take the lift: to any lower board.": "Nimm den Aufzug: auf ein beliebiges tieferes Brett.",
  "Let time pass: any amount.": "Lass Zeit vergehen: beliebig viel.",
  "Turn nuggets into time: each gives 1.": "Mach Nuggets zu Zeit: jeder gibt 1.",
  "Spend one gallon of a tank.": "Nutze eine Gallone aus einem Tank.",
  "Eject everything from a tank.": "Leere einen Tank ganz.",
  "Take as many coins as you like from one heap.": "Nimm beliebig viele Münzen von einem Haufen.",
  "Take 1, 2, 3, 5, 8, 13 … coins, a Fibonacci number, from one heap.":
    "Nimm 1, 2, 3, 5, 8, 13 … Münzen, eine Fibonacci-Zahl, von einem Haufen.",
  "First move: take as many coins as you like, but not all.":
    "Erster Zug: Nimm beliebig viele Münzen, aber nicht alle.",
  "Afterwards: at most twice as many as the other one just took. After 2, that is up to 4.":
    "Danach: höchstens doppelt so viele, wie eben genommen wurden. Nach 2 sind das bis zu 4.",
  "Turn a turtle that stands on its feet onto its back.":
    "Dreh eine Schildkröte, die auf den Füßen steht, auf den Rücken.",
  "With it you may turn one turtle further left, whichever way up it lies.":
    "Dazu darfst du eine weiter links umdrehen, wie auch immer sie liegt.",
  "Move as many coins as you like from one step to the next lower. Coins on the floor stay there.":
    "Leg beliebig viele Münzen von einer Stufe auf die nächsttiefere. Auf dem Boden bleiben sie liegen.",
  "Or take the same number from both heaps.": "Oder nimm von beiden Haufen gleich viele.",
  "Cut an edge.": "Schneide eine Kante.",
  "Whatever no longer hangs on to the ground falls with it.": "Was nicht mehr am Boden hängt, fällt mit.",
  "Take any number of coins from one heap, or fewer than q where there is a q.":
    "Nimm beliebig viele Münzen von einem Haufen, oder weniger als q, wo es ein q gibt.",
  "Or take from several heaps at once, fewer than p coins together.":
    "Oder nimm von mehreren Haufen zugleich, zusammen weniger als p Münzen.",
  "Once in the whole game one player may pass, while there are coins.":
    "Einmal im ganzen Spiel darf eine Seite passen, solange Münzen da sind.",
  "Or take one coin each from two or all three heaps.": "Oder nimm je eine Münze von zweien oder allen drei Haufen.",
  "Knock down one pin.": "Wirf einen Kegel um.",
  "Or two neighbours with no gap between them.": "Oder zwei Nachbarn ohne Lücke dazwischen.",
  "Make one move in one of the games. The others wait as they are.":
    "Mach einen Zug in einem der Spiele. Die anderen warten, wie sie sind.",
  "Next turn it may be another one. The last move of all counts.":
    "Beim nächsten Mal darf es ein anderes sein. Der letzte Zug von allen zählt.",
  "picture.home": "a1: Hier kommt das Schiff an",
  "picture.ship_at": "Das Schiff steht auf {square} von Brett {board}",
  "picture.time": "Zeit",
  "picture.time_turn": "Dreh den Zeiger: zurück vergeht Zeit, vor kostet es Nuggets.",
  "picture.time_less": "−{count}: Zeit vergehen lassen",
  "picture.time_more": "+{count}: einen Nugget zu Zeit machen",
  "picture.nuggets": "Nuggets: {count}",
  "picture.tank": "{fluid}: {count}",
  "picture.tanks": "Tanks",
  "picture.spend": "1 zapfen",
  "picture.eject": "Leeren",
  "picture.heap": "Haufen {heap}",
  "picture.take_from": "nimm",
  "picture.quota": "Jetzt höchstens {count}: doppelt so viele wie zuletzt",
  "picture.quota_first": "Erster Zug: beliebig viele, aber nicht alle",
  "picture.fewer": "Eins weniger",
  "picture.more": "Eins mehr",
  "picture.step": "Stufe {step}",
  "picture.floor": "Boden",
  "picture.turtle_back": "Schildkröte {place} liegt auf dem Rücken",
  "picture.turtle_hint": "Wähle eine Schildkröte auf den Füßen; dann, wenn du willst, eine links davon.",
  "picture.pin_down": "Kegel {place} ist gefallen",
  "picture.pass": "Passen",
  "picture.pass_used": "Das Passen ist verbraucht",
  "picture.fibonacci": "Erlaubte Mengen: {amounts}",
  "picture.square": "Haufen 1: {one}, Haufen 2: {two}",
  "picture.together": "Von mehreren Haufen zugleich: zusammen weniger als {p}",
  "picture.same_both": "Von einem Haufen beliebig viele; oder von beiden gleich viele",
  "picture.one_each": "Von einem Haufen beliebig viele; oder von mehreren je eine",
  "picture.below_q": "Höchstens {most} von einem Haufen",
  "picture.vector_hint": "Wähle Münzen in einem Haufen, dann in einem zweiten, um von beiden zu nehmen.",
  "picture.component": "Spiel {number}",
  "picture.number": "Zahl {name}",
  "marks.wins": "gewinnt",
  "marks.loses": "verliert",
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
