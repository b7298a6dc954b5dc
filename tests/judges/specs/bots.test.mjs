/** Each judge plays the bot to the end, in every game that the server names, knowing none of them. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { JUDGES } from "../harness/judges.mjs";
import { accepted, table } from "../harness/table.mjs";

/** Games that have no random start, or a dull one. */
const STARTS = { sum: { position: "nim 3,4 + kayles xxx + rooks g6@3" } };
const LEVELS = ["perfect", "strong", "casual", "novice"];

let here;
before(async () => {
  here = await table();
});
afterEach(() => here?.clear());
after(() => here?.stop());

for (const kind of JUDGES) {
  test(`${kind} plays the bot to the end in every game`, async () => {
    const judge = await here.sit(kind);
    assert.ok(judge.welcome.games.length >= 3);
    for (const [turn, game] of judge.welcome.games.entries()) {
      const level = LEVELS[turn % LEVELS.length];
      const { match } = await accepted(judge, {
        type: "create",
        game,
        against: { bot: level },
        ...(STARTS[game] && { start: STARTS[game] }),
      });
      const { state, events } = await judge.tell({ do: "play", match });
      assert.equal(state.phase, "over", game);
      assert.equal(state.reason, "no-move-left");
      assert.ok(["creator", "joiner"].includes(state.winner));
      const last = events.findLast((event) => event.event === "moved");
      // Who moves last wins, but in the misère games.
      assert.equal(last.seat === state.winner, !game.startsWith("misere-"), game);
      await accepted(judge, { type: "leave", match });
    }
  });
}
