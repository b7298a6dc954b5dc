/**
 * "How to play" in English: for each game a sentence for each kind of move, in the order of the drawings in
 * views/match/how_to_play.js. Loaded when a sheet is first opened.
 */
export const how_en = {
  turns: "Two players take turns, and both may make exactly the same moves. No luck, nothing hidden, no draw.",
  normal: "Whoever makes the last move wins. Whoever cannot move has lost.",
  misere: "Misère: whoever makes the last move LOSES. Leave the last move to the other one!",
  story:
    "Two co-pilots share one ship. The last one who can still steer it arrives; the other one is erased from reality.",
  choose: "Click or drag in the picture: the move is shown first, and a second click plays it.",
  left: "Fly along the row: towards file a.",
  down: "Fly along the column: towards rank 1.",
  lift: "Take the lift: to any lower board.",
  pass_time: "Let time pass: any amount.",
  nuggets: "Turn nuggets into time: each gives 1.",
  spend: "Spend one gallon of a tank.",
  eject: "Eject everything from a tank.",
  take: "Take as many coins as you like from one heap.",
  fibonacci: "Take 1, 2, 3, 5, 8, 13 … coins, a Fibonacci number, from one heap.",
  first_take: "First move: take as many coins as you like, but not all.",
  twice: "Afterwards: at most twice as many as the other one just took. After 2, that is up to 4.",
  turn: "Turn a turtle that stands on its feet onto its back.",
  turn_two: "With it you may turn one turtle further left, whichever way up it lies.",
  step: "Move as many coins as you like from one step to the next lower. Coins on the floor stay there.",
  same_both: "Or take the same number from both heaps.",
  cut: "Cut an edge.",
  falls: "Whatever no longer hangs on to the ground falls with it.",
  one_heap: "Take as many coins as you like from one heap.",
  below_q: "Take any number of coins from one heap, or fewer than q where there is a q.",
  together: "Or take from several heaps at once, fewer than p coins together.",
  pass: "Once in the whole game one player may pass, while there are coins.",
  one_each: "Or take one coin each from two or all three heaps.",
  pin: "Knock down one pin.",
  pins: "Or two neighbours with no gap between them.",
  component: "Make one move in one of the games. The others wait as they are.",
  anywhere: "Next turn it may be another one. The last move of all counts.",
};
