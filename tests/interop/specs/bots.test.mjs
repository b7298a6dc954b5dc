/** Each client plays the bot to the end in every game of the server, without knowing any of them. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { KINDS } from "../harness/clients.mjs";
import { accepted, fixture } from "../harness/fixture.mjs";

/** Starts of games whose random start is missing or uninteresting. */
const STARTS = { sum: { position: "nim 3,4 + kayles xxx + rooks g6@3" } };
const LEVELS = ["perfect", "strong", "casual", "novice"];

let shared;
before(async () => {
  shared = await fixture();
});
afterEach(() => shared?.clear());
after(() => shared?.stop());

for (const kind of KINDS) {
  test(`${kind} plays the bot to the end in every game`, async () => {
    const client = await shared.connect(kind);
    assert.ok(client.welcome.games.length >= 3);
    for (const [turn, game] of client.welcome.games.entries()) {
      const level = LEVELS[turn % LEVELS.length];
      const { match } = await accepted(client, {
        type: "create",
        game,
        opponent: { bot: level },
        ...(STARTS[game] && { start: STARTS[game] }),
      });
      const { state, events } = await client.run({ do: "play", match });
      assert.equal(state.phase, "over", game);
      if (state.reason === "resigned") {
        // A bot gives up against a player who has made five winning moves in a row.
        assert.equal(state.winner, "creator", game);
      } else {
        assert.equal(state.reason, "no-move-left", game);
        const last = events.findLast((event) => event.event === "moved");
        // The player of the last move wins, except in misère games.
        assert.equal(last.seat === state.winner, !game.startsWith("misere-"), game);
      }
      await accepted(client, { type: "leave", match });
    }
  });
}
