/**
 * Plays random moves against the server's novice, also through restarts of the server: `node bot.mjs [GAME [URL]]`.
 * Needs `npm install ws`.
 */
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

const [game = "fib-fob", url = "ws://127.0.0.1:7171/ws"] = process.argv.slice(2);
const PAUSE_MS = 500;

// What has to outlive a connection: who one is, the match, and the requests without an answer.
let token, match;
const unanswered = new Map();
let move = {};

function connect() {
  const socket = new WebSocket(url, "fibfob.v1");
  const send = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const request = (message) => {
    unanswered.set(message.id, message);
    send(message);
  };
  const answers = {
    welcome(message) {
      const first = token === undefined;
      token = message.token;
      if (first) request({ type: "create", id: randomUUID(), game, opponent: { bot: "novice" } });
      else if (match) send({ type: "resume", id: randomUUID(), match, since: 0 });
      // The same id: what the server has stored already counts once.
      if (!first) unanswered.forEach(send);
    },
    accepted: ({ id }) => unanswered.delete(id),
    refused(message) {
      const pause = message.retry_after_ms ?? PAUSE_MS;
      if (message.retry) return setTimeout(() => send(unanswered.get(message.id)), pause);
      unanswered.delete(message.id);
      // A move that was sent again after another position had been reached is nothing to worry about.
      if (message.reason !== "stale") throw new Error(message.message);
    },
    snapshot: (message) => look(message, message.state),
    frame: (message) => look(message, message.change ?? {}),
  };
  function look(message, news) {
    match = message.match;
    if (news.phase === "over") {
      console.log(news.winner === "creator" ? "won" : "lost");
      process.exit();
    }
    // Only who is to move is sent the legal moves; one move a version, whatever is sent twice.
    if (!news.legal || move.expecting === message.version) return;
    const text = news.legal[Math.floor(Math.random() * news.legal.length)];
    move = { type: "play", id: randomUUID(), match, expecting: message.version, move: text };
    request(move);
  }
  socket.on("open", () => send({ type: "hello", protocol: "fibfob.v1", name: "Node", token }));
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    answers[message.type]?.(message);
  });
  socket.on("error", () => {});
  socket.on("close", () => setTimeout(connect, PAUSE_MS));
}
connect();
