/**
 * What a test may tell a judge to do: the same few commands in every language.
 */
import { Client } from "./client.mjs";
import { moves } from "./families.mjs";

/** @param {(url: string, protocol: string) => WebSocket} open */
export function performer(open) {
  /** @type {Client} */
  let client;
  const acts = {
    async connect({ url, name }) {
      client = new Client(open, { url, name });
      await client.until(() => client.welcome);
      return client.welcome;
    },
    request: ({ request }) => client.request(request),
    repeat: ({ id }) => client.repeat(id),
    say: ({ text }) => client.say(text),
    async play({ match, until, long }) {
      return report(await client.playOn(match, { until: until ?? Infinity, long }));
    },
    async see({ match, version, over }) {
      const seen = () => client.matches.get(match);
      await client.until(() => (seen()?.version ?? 0) >= (version ?? 1) && (!over || seen().state?.phase === "over"));
      return report(seen());
    },
    moves: ({ match }) => moves(client.matches.get(match).state.legal),
    async lines({ count }) {
      await client.until(() => client.lines >= count);
      return client.closes;
    },
    async lobby({ guest }) {
      const shows = ({ creator }) => creator.guest === guest;
      await client.until(() => client.lobby?.open.some(shows));
      return client.lobby;
    },
    heard: () => client.heard,
    faults: () => client.faults,
    close: () => client.close(),
  };
  return async (command) => (await acts[command.do](command)) ?? null;
}

function report({ version, events, state, seat, presence }) {
  return { version, events, state, seat, presence };
}
