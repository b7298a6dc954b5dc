/** English: moves, as what one does and as what somebody did. */
export const moves = {
  "move.fly": "Fly to {square} | flew to {square} | flying to {square}",
  "move.lift": "Take the lift to board {board} | took the lift to board {board} | taking the lift to board {board}",
  "move.reach":
    "Fly to {square} on board {board} | flew to {square} on board {board} | flying to {square} on board " + "{board}",
  "move.wait": "Let {count} pass | let {count} pass | turning the time from {from} to {to}",
  "move.nuggets":
    "Turn {count|a nugget|nuggets} into {count} of time | turned {count|a nugget|nuggets} into {count} of " +
    "time | turning the time from {from} to {to}",
  "move.spend": "Spend 1 {fluid} | spent 1 {fluid} | spending 1 {fluid}",
  "move.eject": "Eject all {fluid} | ejected all {fluid} | ejecting all {fluid}",
  "move.take_from": "Take {count} from heap {heap} | took {count} from heap {heap} | taking {count} from heap {heap}",
  "move.take": "Take {count} | took {count} | taking {count}",
  "move.take_each":
    "Take {counts} from heaps {heaps} | took {counts} from heaps {heaps} | taking {counts} from heaps {heaps}",
  "move.move":
    "Move {count} down from step {step} | moved {count} down from step {step} | moving {count} down from step " +
    "{step}",
  "move.turn": "Turn turtle {place} | turned turtle {place} | turning turtle {place}",
  "move.turn_two":
    "Turn turtles {place} and {other} | turned turtles {place} and {other} | turning turtles {place} and " + "{other}",
  "move.knock": "Knock down pin {place} | knocked down pin {place} | knocking down pin {place}",
  "move.knock_two":
    "Knock down pins {place} and {other} | knocked down pins {place} and {other} | knocking down pins {place} " +
    "and {other}",
  "move.cut": "Cut the edge {edge} | cut the edge {edge} | cutting the edge {edge}",
  "move.pass": "Pass | passed | passing",
  "move.component": "Game {number}: {move} | {move} in game {number} | {move} in game {number}",
};
