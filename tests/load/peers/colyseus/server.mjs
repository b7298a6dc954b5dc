// A duel on Colyseus: two clients, whose moves change the room's state. It keeps no history, stores
// nothing and knows no rules.

import { createServer } from "node:http";
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { schema, t } from "@colyseus/schema";

const Duel = schema({ ply: t.number(), move: t.string() });

class DuelRoom extends Room {
  maxClients = 2;
  state = new Duel({ ply: 0, move: "" });
  // The default sends changes 20 times a second, so that a ply would take 50 ms: here each move is
  // sent at once.
  patchRate = null;

  onCreate() {
    this.onMessage("play", (client, { ply, move }) => {
      if (ply !== this.state.ply) return;
      this.state.ply = ply + 1;
      this.state.move = move;
      this.broadcastPatch();
    });
  }
}

const http = createServer();
const server = new Server({
  greet: false,
  // The load's connections do not read while the others connect.
  transport: new WebSocketTransport({ server: http, pingInterval: 0 }),
});
server.define("duel", DuelRoom);
await server.listen(0, "127.0.0.1");
console.log(`http://127.0.0.1:${http.address().port}`);
