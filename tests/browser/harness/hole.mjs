/**
 * A network in front of a server that can die without a word: it swallows all bytes, and closes nothing.
 */
import { connect, createServer } from "node:net";

/** @param {{ base: string }} server */
export async function hole(server) {
  const { hostname, port } = new URL(server.base);
  let dead = false;
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from);
      from.on("data", (bytes) => dead || to.write(bytes));
      from.on("end", () => dead || to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  await new Promise((listening) => proxy.listen(0, "127.0.0.1", () => listening(null)));
  const address = /** @type {import("node:net").AddressInfo} */ (proxy.address());
  return {
    base: `http://127.0.0.1:${address.port}`,
    /** Lets the network die, or live again. What was swallowed is lost. @param {boolean} isDead */
    set(isDead) {
      dead = isDead;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
