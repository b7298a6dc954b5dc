/** Requests that are refused: each refusal gives its reason, and nothing changes. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { accepted, newMatch, fixture } from "../harness/fixture.mjs";

const NOBODY = "00000000-0000-4000-8000-000000000000";

let shared;
before(async () => {
  shared = await fixture();
});
afterEach(() => shared?.clear());
after(() => shared?.stop());

test("a client receives the documented reason for each invalid request, and nothing changes", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  const { match, code } = await newMatch(client, friend);
  const before = await client.run({ do: "wait-for", match, version: 2 });
  const watching = await shared.connect("two");
  await accepted(watching, { type: "spectate", code });
  const play = { type: "play", match, expecting: 2 };
  const open = await accepted(friend, {
    type: "create",
    game: "nim",
    start: { position: "3,4,5" },
    first: "me",
  });

  for (const [who, request, reason] of [
    [client, { ...play, move: "ship h8@8" }, "illegal-move"],
    [client, { ...play, move: "time -41" }, "illegal-move"],
    [client, { ...play, move: "take 1 from 1" }, "bad-notation"],
    [client, { ...play, expecting: 1, move: "time -1" }, "stale"],
    [friend, { ...play, move: "time -1" }, "not-your-turn"],
    [watching, { ...play, move: "time -1" }, "not-a-player"],
    [watching, { type: "resign", match }, "not-a-player"],
    [watching, { type: "join", code }, "seat-taken"],
    [client, { type: "join", code }, "already-seated"],
    [client, { type: "play", match: NOBODY, expecting: 1, move: "time -1" }, "no-such-match"],
    [client, { type: "resume", match: NOBODY, since: 0 }, "no-such-match"],
    [client, { type: "spectate", code: "!" }, "bad-id"],
    [friend, { type: "play", match: open.match, expecting: 1, move: "take 1 from 1" }, "not-in-play"],
    [client, { type: "offer-rematch", match }, "not-over"],
    [client, { type: "analyse", match, version: 2 }, "not-for-learning"],
    [client, { type: "review", match }, "not-for-learning"],
    [client, { type: "create", game: "chess" }, "unknown-game"],
    [client, { type: "create", game: "nim", start: { position: "0,0" } }, "bad-start"],
    [client, { type: "create", game: "nim", start: { position: "three" } }, "bad-notation"],
    [client, { type: "hello", protocol: "fibfob.v1" }, "hello-again"],
    [client, { type: "dance" }, "unknown-type"],
    [client, { type: "play", match }, "malformed"],
  ]) {
    // `hello` carries no id, so its refusal carries none either.
    const answer =
      request.type === "hello"
        ? await who.run({ do: "send-text", text: JSON.stringify(request) })
        : await who.request(request);
    assert.deepEqual(
      [answer.type, answer.reason, answer.retry],
      ["refused", reason, false],
      JSON.stringify([request, answer]),
    );
    assert.ok(answer.message.length > 10, `the message of ${reason} is a sentence`);
  }
  for (const text of ["", "{", "[]", "null", '{"type":7}', '{"type":"lobby"}']) {
    const answer = await client.run({ do: "send-text", text });
    assert.deepEqual(
      [answer.type, answer.id, answer.reason],
      ["refused", undefined, "malformed"],
      JSON.stringify([text, answer]),
    );
  }
  assert.deepEqual((await client.run({ do: "wait-for", match })).events, before.events);
  await accepted(client, { ...play, move: "time -1" });
});

test("a client can send every other request and every query", async () => {
  const [client, friend] = [await shared.connect("one"), await shared.connect("two")];
  await accepted(client, { type: "lobby", watch: true });
  const withdrawn = await accepted(client, {
    type: "create",
    game: "nim",
    start: { random: { coins: [1, 9] } },
    first: "random",
  });
  const { state } = await client.run({ do: "wait-for", match: withdrawn.match });
  assert.ok(
    state.position.split(",").every((coins) => Number(coins) >= 1 && Number(coins) <= 9),
    state.position,
  );
  const shown = await client.run({ do: "wait-for-lobby", guest: client.welcome.guest });
  assert.ok(shown.open.some(({ code }) => code === withdrawn.code));
  await accepted(client, { type: "withdraw", match: withdrawn.match });

  const { match } = await newMatch(client, friend, {
    game: "fib-fob",
    start: { position: "g6@3 time=15 nuggets=5 fib=12 fob=9" },
    learning: true,
  });
  const analysis = await client.request({ type: "analyse", match, version: 2 });
  assert.deepEqual(
    [analysis.type, analysis.outcome, analysis.nimber, analysis.winning, analysis.complete],
    ["analysis", "N", 13, ["time -13"], true],
  );
  const preview = await client.request({ type: "preview", match, move: "time -13" });
  assert.deepEqual([preview.version, preview.position, preview.over], [2, "g6@3 time=2 nuggets=5 fib=12 fob=9", false]);
  await accepted(client, { type: "play", match, expecting: 2, move: "time -13" });
  const review = await client.request({ type: "review", match });
  assert.deepEqual(
    review.plies.map(({ outcome, gave_away: gaveAway }) => [outcome, gaveAway]),
    [
      ["N", false],
      ["P", false],
    ],
  );

  const resigned = await accepted(friend, { type: "resign", match });
  assert.equal(resigned.version, 4);
  const over = await client.run({ do: "wait-for", match, over: true });
  assert.deepEqual([over.state.winner, over.state.reason], ["creator", "resigned"]);

  const finished = await friend.request({ type: "matches", finished: true });
  assert.deepEqual(
    finished.matches.map(({ match, seat, phase, winner, plies }) => [match, seat, phase, winner, plies]),
    [[match, "joiner", "over", "creator", 1]],
  );
  const running = await friend.request({ type: "matches" });
  assert.deepEqual([running.type, running.matches, running.more], ["matches", [], undefined]);
  await accepted(client, { type: "offer-rematch", match });
  const agreed = await accepted(friend, { type: "accept-rematch", match });
  const { state: after } = await client.run({ do: "wait-for", match, version: agreed.version });
  assert.deepEqual(after.rematch, { state: "agreed", next: agreed.next });
  for (const one of [client, friend]) await accepted(one, { type: "resume", match: agreed.next.match, since: 0 });
  const [again] = await Promise.all([client, friend].map((one) => one.run({ do: "play", match: agreed.next.match })));
  assert.equal(again.state.phase, "over");
  assert.equal(again.state.start, over.state.start);
  const first = again.events.find(({ event }) => event === "moved").seat;
  assert.equal(again.state.players[first].guest, friend.welcome.guest, "the other player moves first");
});
