/**
 * German: the games.
 */
export const games = {
  "game.fib-fob.rules":
    "Verringere Linie, Reihe oder Brett des Schiffs, oder die Zeit; oder mach Nuggets zu Zeit; oder nutze " +
    "eine Gallone oder alles von Fib oder Fob. Wer nicht ziehen kann, verliert.",
  "game.rooks.title": "Türme",
  "game.rooks.rules":
    "Ein Turm auf acht übereinanderliegenden Schachbrettern: Verringere Linie, Reihe oder Brett. Wer nicht " +
    "ziehen kann, verliert.",
  "game.poker-nim.title": "Poker-Nim",
  "game.poker-nim.rules":
    "Verringere die Zeit, oder mach Nuggets zu ebenso viel Zeit. Wer nicht ziehen kann, verliert.",
  "game.nim-muskateers.title": "Nim-Musketiere",
  "game.nim-muskateers.rules":
    "Zwei Tanks: Nutze eine Gallone oder alles von einer der beiden. Wer nicht ziehen kann, verliert.",
  "game.nim.rules": "Nimm beliebig viele Münzen von einem Haufen. Wer nicht ziehen kann, verliert.",
  "game.misere-nim.title": "Misère-Nim",
  "game.misere-nim.rules": "Nimm beliebig viele Münzen von einem Haufen. Wer nicht ziehen kann, gewinnt.",
  "game.take-fibonacci.title": "Nimm Fibonacci",
  "game.take-fibonacci.rules":
    "Nimm eine Fibonacci-Zahl von Münzen (1, 2, 3, 5, 8, …) von einem Haufen. Wer nicht ziehen kann, verliert.",
  "game.fibonacci-nim.title": "Fibonacci-Nim",
  "game.fibonacci-nim.rules":
    "Ein Haufen: Nimm zuerst beliebig viele Münzen, aber nicht alle, danach höchstens doppelt so viele wie " +
    "zuletzt genommen. Wer nicht ziehen kann, verliert.",
  "game.misere-fibonacci-nim.title": "Misère-Fibonacci-Nim",
  "game.misere-fibonacci-nim.rules":
    "Ein Haufen: Nimm zuerst beliebig viele Münzen, aber nicht alle, danach höchstens doppelt so viele wie " +
    "zuletzt genommen. Wer nicht ziehen kann, gewinnt.",
  "game.turning-turtles.title": "Schildkröten drehen",
  "game.turning-turtles.rules":
    "Dreh eine Schildkröte von den Füßen auf den Rücken und, wenn du willst, eine links davon um. Wer nicht " +
    "ziehen kann, verliert.",
  "game.staircase-nim.title": "Treppen-Nim",
  "game.staircase-nim.rules":
    "Leg beliebig viele Münzen von einer Stufe auf die nächsttiefere; Stufe 0 ist der Boden. Wer nicht ziehen" +
    " kann, verliert.",
  "game.wythoff-nim.title": "Wythoffs Nim",
  "game.wythoff-nim.rules":
    "Zwei Haufen: Nimm beliebig viele Münzen von einem, oder gleich viele von beiden. Wer nicht ziehen kann, verliert.",
  "game.green-hackenbush.title": "Grünes Hackenbush",
  "game.green-hackenbush.rules":
    "Schneide eine Kante; was nicht mehr am Boden hängt, fällt. Wer nicht ziehen kann, verliert.",
  "game.ryuo-nim.title": "Ryūō-Nim",
  "game.ryuo-nim.rules":
    "Nimm beliebig viele Münzen (weniger als q, wenn es ein q gibt) von einem Haufen, oder zusammen weniger " +
    "als p von mehreren. Wer nicht ziehen kann, verliert.",
  "game.ryuo-nim-3d.title": "Dreidimensionales Ryūō-Nim",
  "game.ryuo-nim-3d.rules":
    "Nimm beliebig viele Münzen von einem der drei Haufen, oder je eine von zweien oder allen dreien. Wer " +
    "nicht ziehen kann, verliert.",
  "game.ryuo-nim-pass.title": "Ryūō-Nim mit Passen",
  "game.ryuo-nim-pass.rules":
    "Nimm beliebig viele Münzen von einem der beiden Haufen, oder zusammen weniger als p von beiden; einmal " +
    "im ganzen Spiel darf eine Seite passen, solange Münzen da sind. Wer nicht ziehen kann, verliert.",
  "game.kayles.title": "Kegeln (Kayles)",
  "game.kayles.rules":
    "Eine Reihe von Kegeln und Lücken: Wirf einen um, oder zwei ohne Lücke dazwischen. Wer nicht ziehen kann," +
    " verliert.",
  "game.sum.title": "Summe von Spielen",
  "game.sum.rules": "Mehrere Spiele zugleich: Zieh in einem davon. Wer in keinem ziehen kann, verliert.",
};
