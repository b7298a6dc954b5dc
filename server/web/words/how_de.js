/**
 * "So wird gespielt" auf Deutsch, in derselben Ordnung wie how_en.js.
 *
 * @type {typeof import("./how_en.js").how_en}
 */
export const how_de = {
  turns: "Zwei Spieler ziehen abwechselnd, und beide dürfen genau dieselben Züge machen. Kein Glück, kein Remis.",
  normal: "Wer den letzten Zug macht, gewinnt. Wer nicht ziehen kann, hat verloren.",
  misere: "Misère: Wer den letzten Zug macht, VERLIERT. Überlass ihn der anderen Seite!",
  story:
    "Zwei Kopiloten teilen sich ein Schiff. Wer es als Letzter noch steuern kann, kommt an; der andere wird aus der " +
    "Wirklichkeit gelöscht.",
  choose: "Klick oder zieh im Bild: Der Zug wird erst gezeigt, und ein zweiter Klick spielt ihn.",
  left: "Flieg die Reihe entlang: zur Linie a hin.",
  down: "Flieg die Linie entlang: zur Reihe 1 hin.",
  lift: "Nimm den Aufzug: auf ein beliebiges tieferes Brett.",
  pass_time: "Lass Zeit vergehen: beliebig viel.",
  nuggets: "Mach Nuggets zu Zeit: jeder gibt 1.",
  spend: "Nutze eine Gallone aus einem Tank.",
  eject: "Leere einen Tank ganz.",
  take: "Nimm beliebig viele Münzen von einem Haufen.",
  fibonacci: "Nimm 1, 2, 3, 5, 8, 13 … Münzen, eine Fibonacci-Zahl, von einem Haufen.",
  first_take: "Erster Zug: Nimm beliebig viele Münzen, aber nicht alle.",
  twice: "Danach: höchstens doppelt so viele, wie eben genommen wurden. Nach 2 sind das bis zu 4.",
  turn: "Dreh eine Schildkröte, die auf den Füßen steht, auf den Rücken.",
  turn_two: "Dazu darfst du eine weiter links umdrehen, wie auch immer sie liegt.",
  step: "Leg beliebig viele Münzen von einer Stufe auf die nächsttiefere. Auf dem Boden bleiben sie liegen.",
  same_both: "Oder nimm von beiden Haufen gleich viele.",
  cut: "Schneide eine Kante.",
  falls: "Was nicht mehr am Boden hängt, fällt mit.",
  one_heap: "Nimm beliebig viele Münzen von einem Haufen.",
  below_q: "Nimm beliebig viele Münzen von einem Haufen, oder weniger als q, wo es ein q gibt.",
  together: "Oder nimm von mehreren Haufen zugleich, zusammen weniger als p Münzen.",
  pass: "Einmal im ganzen Spiel darf eine Seite passen, solange Münzen da sind.",
  one_each: "Oder nimm je eine Münze von zweien oder allen drei Haufen.",
  pin: "Wirf einen Kegel um.",
  pins: "Oder zwei Nachbarn ohne Lücke dazwischen.",
  component: "Mach einen Zug in einem der Spiele. Die anderen warten, wie sie sind.",
  anywhere: "Beim nächsten Mal darf es ein anderes sein. Der letzte Zug von allen zählt.",
};
