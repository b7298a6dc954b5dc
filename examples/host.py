"""Keeps a match open in the lobby, opens the next one when somebody joins, and plays random moves in all of them:
`python host.py [GAME [URL]]`. Needs `pip install websockets`."""
import itertools, json, random, sys
from websockets.sync.client import connect

game, url = (sys.argv[1:] + ["fib-fob", "ws://127.0.0.1:7171/ws"][len(sys.argv[1:]) :])[:2]
ids = map(str, itertools.count())
with connect(url, subprotocols=["fibfob.v1"]) as server:
    def send(**message):
        server.send(json.dumps(message))

    def open_next():  # Its clock ends the match of a player who has gone.
        send(type="create", id=next(ids), game=game, first="choose", time={"move": {"each_ms": 60000}})

    # The lobby and each match show that a program plays, and whose it is.
    program = {"author": "Cy Carter", "url": "https://seeker.example/about"}
    send(type="hello", protocol="fibfob.v1", name="Python", program=program)
    open_next()
    for message in map(json.loads, server):
        if message["type"] == "refused":
            print(message["message"], file=sys.stderr)
        if message.get("event") in ("joined", "expired"):
            open_next()
        news = message.get("state") or message.get("change") or {}
        if news.get("legal"):  # Only who is to move is sent the legal moves.
            version, move = message["version"], random.choice(news["legal"])
            send(type="play", id=next(ids), match=message["match"], expecting=version, move=move)
        if news.get("phase") == "over":
            print("won" if news["winner"] == "creator" else "lost", flush=True)
