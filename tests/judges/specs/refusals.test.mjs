/** Each judge provokes the refusals; each says why, and nothing changes. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { JUDGES } from "../harness/judges.mjs";
import { accepted, seat, table } from "../harness/table.mjs";

const NOBODY = "00000000-0000-4000-8000-000000000000";

let here;
before(async () => {
  here = await table();
});
afterEach(() => here?.clear());
after(() => here?.stop());

for (const kind of JUDGES) {
  test(`${kind} is refused with a reason, and nothing changes`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit("node")];
    const { match, code } = await seat(judge, friend);
    const before = await judge.tell({ do: "see", match, version: 2 });
    const watching = await here.sit("node");
    await accepted(watching, { type: "spectate", code });
    const play = { type: "play", match, expecting: 2 };
    const open = await accepted(friend, { type: "create", game: "nim", start: { position: "3,4,5" }, begins: "me" });

    for (const [who, request, reason] of [
      [judge, { ...play, move: "ship h8@8" }, "illegal-move"],
      [judge, { ...play, move: "time -41" }, "illegal-move"],
      [judge, { ...play, move: "take 1 from 1" }, "bad-notation"],
      [judge, { ...play, expecting: 1, move: "time -1" }, "stale"],
      [friend, { ...play, move: "time -1" }, "not-your-turn"],
      [watching, { ...play, move: "time -1" }, "not-a-player"],
      [watching, { type: "resign", match }, "not-a-player"],
      [watching, { type: "join", code }, "seat-taken"],
      [judge, { type: "join", code }, "already-seated"],
      [judge, { type: "play", match: NOBODY, expecting: 1, move: "time -1" }, "no-such-match"],
      [judge, { type: "resume", match: NOBODY, since: 0 }, "no-such-match"],
      [judge, { type: "spectate", code: "!" }, "bad-id"],
      [friend, { type: "play", match: open.match, expecting: 1, move: "take 1 from 1" }, "not-in-play"],
      [judge, { type: "offer-rematch", match }, "not-over"],
      [judge, { type: "analyse", match, version: 2 }, "not-for-learning"],
      [judge, { type: "review", match }, "not-for-learning"],
      [judge, { type: "create", game: "chess" }, "unknown-game"],
      [judge, { type: "create", game: "nim", start: { position: "0,0" } }, "bad-start"],
      [judge, { type: "create", game: "nim", start: { position: "three" } }, "bad-notation"],
      [judge, { type: "hello", protocol: "fibfob.v1" }, "hello-again"],
      [judge, { type: "dance" }, "unknown-type"],
      [judge, { type: "play", match }, "malformed"],
    ]) {
      // `hello` has no id of its own to be answered by.
      const answer =
        request.type === "hello"
          ? await who.tell({ do: "say", text: JSON.stringify(request) })
          : await who.ask(request);
      assert.deepEqual(
        [answer.type, answer.reason, answer.retry],
        ["refused", reason, false],
        JSON.stringify([request, answer]),
      );
      assert.ok(answer.message.length > 10, `${reason} says what was wrong`);
    }
    for (const text of ["", "{", "[]", "null", '{"type":7}', '{"type":"lobby"}']) {
      const answer = await judge.tell({ do: "say", text });
      assert.deepEqual(
        [answer.type, answer.id, answer.reason],
        ["refused", null, "malformed"],
        JSON.stringify([text, answer]),
      );
    }
    assert.deepEqual((await judge.tell({ do: "see", match })).events, before.events);
    await accepted(judge, { ...play, move: "time -1" });
  });

  test(`${kind} makes every other request, and asks every question`, async () => {
    const [judge, friend] = [await here.sit(kind), await here.sit("python")];
    await accepted(judge, { type: "lobby", watch: true });
    const withdrawn = await accepted(judge, {
      type: "create",
      game: "nim",
      start: { random: { coins: [1, 9] } },
      begins: "random",
    });
    const { state } = await judge.tell({ do: "see", match: withdrawn.match });
    assert.ok(
      state.position.split(",").every((coins) => Number(coins) >= 1 && Number(coins) <= 9),
      state.position,
    );
    const shown = await judge.tell({ do: "lobby", guest: judge.welcome.guest });
    assert.ok(shown.open.some(({ code }) => code === withdrawn.code));
    await accepted(judge, { type: "leave", match: withdrawn.match });

    const { match } = await seat(judge, friend, {
      game: "fib-fob",
      start: { position: "g6@3 time=15 nuggets=5 fib=12 fob=9" },
      learning: true,
    });
    const analysis = await judge.ask({ type: "analyse", match, version: 2 });
    assert.deepEqual(
      [analysis.type, analysis.outcome, analysis.nimber, analysis.winning, analysis.complete],
      ["analysis", "N", 13, [{ pattern: "time -13" }], true],
    );
    const preview = await judge.ask({ type: "preview", match, move: "time -13" });
    assert.deepEqual(
      [preview.version, preview.position, preview.over],
      [2, "g6@3 time=2 nuggets=5 fib=12 fob=9", false],
    );
    await accepted(judge, { type: "play", match, expecting: 2, move: "time -13" });
    const review = await judge.ask({ type: "review", match });
    assert.deepEqual(
      review.plies.map(({ outcome, gave_away }) => [outcome, gave_away]),
      [
        ["N", false],
        ["P", false],
      ],
    );

    const resigned = await accepted(friend, { type: "resign", match });
    assert.equal(resigned.version, 4);
    const over = await judge.tell({ do: "see", match, over: true });
    assert.deepEqual([over.state.winner, over.state.reason], ["creator", "resigned"]);
    await accepted(judge, { type: "offer-rematch", match });
    const agreed = await accepted(friend, { type: "accept-rematch", match });
    const told = await judge.tell({ do: "see", match, version: agreed.version });
    assert.deepEqual(told.state.rematch, { state: "agreed", next: agreed.next });
    for (const one of [judge, friend]) await accepted(one, { type: "resume", match: agreed.next.match, since: 0 });
    const [again] = await Promise.all([judge, friend].map((one) => one.tell({ do: "play", match: agreed.next.match })));
    assert.equal(again.state.phase, "over");
    assert.equal(again.state.start, over.state.start);
    const first = again.events.find(({ event }) => event === "moved").seat;
    assert.equal(again.state.players[first].guest, friend.welcome.guest, "the other one begins");
  });
}
