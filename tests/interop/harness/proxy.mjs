/**
 * A TCP proxy between a client and the server. It can break the connection, and it can drop what the server sends.
 */
import { connect, createServer } from "node:net";

/** @param {{ base: string }} server */
export async function proxy(server) {
  const { hostname, port } = new URL(server.base);
  const open = new Set();
  let dropping = false;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair = [near, far];
    open.add(pair);
    const end = () => {
      open.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on("error", end).on("close", end);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => dropping || near.write(bytes));
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", () => ready(null)));
  return {
    url: `ws://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (listener.address()).port}/ws`,
    /** Drops everything the server sends until `cut`. */
    dropAnswers() {
      dropping = true;
    },
    /** Resets all connections. */
    cut() {
      for (const [near, far] of [...open]) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
      dropping = false;
    },
    async stop() {
      this.cut();
      await new Promise((done) => listener.close(done));
    },
  };
}
