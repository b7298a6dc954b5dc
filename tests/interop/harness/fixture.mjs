/**
 * A server, and clients that each connect through a proxy of their own. A client that recorded a
 * violation fails the test.
 */
import assert from "node:assert/strict";
import { serve } from "../../browser/harness/server.mjs";
import { start } from "./clients.mjs";
import { proxy } from "./proxy.mjs";

/** A start that gives at least 40 plies to clients that play only first moves: the time alone takes as many. */
export const LONG_START = "h8@8 time=40 nuggets=3 fib=9 fob=9";

/** @param {string[]} options further options of the server */
export async function fixture(options = []) {
  const server = await serve({ options });
  const connected = [];
  return {
    server,
    /** @param {string} name the guest's */
    async connect(name) {
      const own = await proxy(server);
      const started = start();
      const welcome = await started.run({ do: "connect", url: own.url, name });
      const client = { ...started, proxy: own, welcome };
      connected.push(client);
      return client;
    },
    /** Disconnects all clients, also after a failure; the server stays for the next test. */
    async clear() {
      const results = await Promise.allSettled(
        connected.splice(0).map(async ({ run, end, proxy }) => {
          try {
            assert.deepEqual(await run({ do: "violations" }), []);
          } finally {
            await end();
            await proxy.stop();
          }
        }),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
    stop: () => server.stop(),
  };
}

/**
 * A new match in which `creator` and `joiner` have taken their seats.
 * @returns {Promise<{ match: string, code: string }>}
 */
export async function newMatch(creator, joiner, fields = {}) {
  const created = await accepted(creator, {
    type: "create",
    game: "fib-fob",
    start: { position: LONG_START },
    opponent: "friend",
    first: "me",
    ...fields,
  });
  assert.equal(created.version, 1);
  assert.equal(created.seat, "creator");
  const joined = await accepted(joiner, { type: "join", code: created.code });
  assert.deepEqual([joined.match, joined.version, joined.seat], [created.match, 2, "joiner"]);
  return created;
}

/** Sends a request and returns its answer, which must be `accepted`. */
export async function accepted(client, request) {
  const answer = await client.request(request);
  assert.equal(answer.type, "accepted", JSON.stringify(answer));
  return answer;
}

/** Asserts that all clients have received the same events, from the first to `version`. */
export async function assertSameEvents(clients, match, version) {
  const [first, ...others] = await Promise.all(clients.map((client) => client.run({ do: "wait-for", match, version })));
  assert.deepEqual(
    first.events.map((event) => event.version),
    Array.from({ length: first.version }, (_, i) => i + 1),
  );
  // Each knows the spectators of its own snapshot, and only the player to move has the legal moves.
  const shared = ({ spectators: _, legal: __, ...state }) => state;
  for (const other of others) {
    assert.deepEqual(other.events, first.events);
    assert.deepEqual(shared(other.state), shared(first.state));
  }
  return first;
}
