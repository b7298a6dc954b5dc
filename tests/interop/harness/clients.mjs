/**
 * The third-party client, behind one function that takes a command and returns its result.
 */
import { WebSocket } from "ws";
import { driver } from "../javascript/commands.mjs";

/** The bound on every command; generous, because machines are shared. */
const TIMEOUT_MS = 60_000;

/** A client that is not connected yet. */
export function start() {
  const perform = driver((url, protocol) => new WebSocket(url, protocol));
  /** @returns {Promise<any>} */
  const run = (command) => withTimeout(perform(command), `timeout of ${JSON.stringify(command)}`);
  return { run, request: (request) => run({ do: "request", request }), end: () => run({ do: "close" }) };
}

function withTimeout(promise, message) {
  let timer;
  const timeout = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(message)), TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
