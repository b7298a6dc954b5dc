/**
 * A line between a judge and the server that can be cut, and that can lose what the server says.
 */
import { connect, createServer } from "node:net";

/** @param {{ base: string }} server */
export async function line(server) {
  const { hostname, port } = new URL(server.base);
  const open = new Set();
  let deaf = false;
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
    far.on("data", (bytes) => deaf || near.write(bytes));
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", () => ready(null)));
  return {
    url: `ws://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (listener.address()).port}/ws`,
    /** From now on everything the server says is lost on the way, until the line is cut. */
    deafen() {
      deaf = true;
    },
    cut() {
      for (const [near, far] of [...open]) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
      deaf = false;
    },
    async stop() {
      this.cut();
      await new Promise((done) => listener.close(done));
    },
  };
}
