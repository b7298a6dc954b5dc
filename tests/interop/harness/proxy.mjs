/**
 * A TCP proxy between a client and the server. It can break the connection, and it can drop what the server sends.
 */
import { connect, createServer } from "node:net";
import { Receiver } from "ws";
import { record } from "../../browser/harness/record.mjs";

/** Refusals of what is no message. */
const NO_MESSAGE = new Set(["malformed", "unknown-type"]);

/** Calls `each` with the text frames of one side of a connection, of which the result is given the bytes. */
function texts(isServer, each) {
  const receiver = new Receiver({ isServer });
  receiver.on("message", (text, isBinary) => isBinary || each(String(text)));
  receiver.on("error", () => {});
  let head = Buffer.alloc(0);
  let isOpen = false;
  return (bytes) => {
    if (!isOpen) {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      isOpen = true;
      bytes = head.subarray(end + 4);
    }
    // A copy, because it unmasks in place.
    if (bytes.length) receiver.write(Buffer.from(bytes));
  };
}

/** Records the messages of a connection; of the client's, those that are none are left out. */
function recorder() {
  const sent = new Map();
  return {
    client: texts(true, (text) => sent.set(text, idOf(text))),
    server: texts(false, (text) => {
      record("server", text);
      const { type, reason, id } = JSON.parse(text);
      if (type !== "refused" || !NO_MESSAGE.has(reason)) return;
      for (const [text, own] of sent) if (own === id) sent.delete(text);
    }),
    end: () => [...sent.keys()].forEach((text) => record("client", text)),
  };
}

function idOf(text) {
  try {
    return JSON.parse(text).id;
  } catch {
    return undefined;
  }
}

/** @param {{ base: string }} server */
export async function proxy(server) {
  const { hostname, port } = new URL(server.base);
  const open = new Set();
  let dropping = false;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair = [near, far];
    open.add(pair);
    const recorded = recorder();
    const end = () => {
      if (open.delete(pair)) recorded.end();
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on("error", end).on("close", end);
    near.on("data", (bytes) => {
      recorded.client(bytes);
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      recorded.server(bytes);
      if (!dropping) near.write(bytes);
    });
  });
  await new Promise((ready) => listener.listen(0, "127.0.0.1", () => ready(null)));
  const { port: own } = /** @type {import("node:net").AddressInfo} */ (listener.address());
  return {
    base: `http://127.0.0.1:${own}`,
    url: `ws://127.0.0.1:${own}/ws`,
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
      // No reset here: of a socket that is just ending, it would keep Node from its own end.
      for (const socket of [...open].flat()) socket.destroy();
      await new Promise((done) => listener.close(done));
    },
  };
}
