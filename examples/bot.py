"""Plays random moves against the server's novice: `python bot.py [GAME [URL]]`. Needs `pip install websockets`."""
import json, random, sys
from websockets.sync.client import connect

game, url = (sys.argv[1:] + ["fib-fob", "ws://127.0.0.1:7171/ws"][len(sys.argv[1:]) :])[:2]
with connect(url, subprotocols=["fibfob.v1"]) as server:
    def send(**message):
        server.send(json.dumps(message))

    send(type="hello", protocol="fibfob.v1", name="Python")
    send(type="create", id="new", game=game, opponent={"bot": "novice"})
    for message in map(json.loads, server):
        if message["type"] == "refused":
            sys.exit(message["message"])
        news = message.get("state") or message.get("change") or {}
        if news.get("legal"):  # Only who is to move is sent the legal moves.
            version, move = message["version"], random.choice(news["legal"])
            send(type="play", id=f"v{version}", match=message["match"], expecting=version, move=move)
        if news.get("phase") == "over":
            sys.exit(print("won" if news["winner"] == "creator" else "lost"))
