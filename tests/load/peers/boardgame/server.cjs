// A duel on boardgame.io with its store in memory: two players in turn, whose moves change the
// state. It knows no rules.

const { Server, Origins } = require('boardgame.io/server');

const duel = {
    name: 'duel',
    setup: () => ({ ply: 0, move: '' }),
    moves: {
        play: ({ G }, ply, move) => {
            G.ply = ply + 1;
            G.move = move;
        },
    },
    turn: { minMoves: 1, maxMoves: 1 },
    minPlayers: 2,
    maxPlayers: 2,
    disableUndo: true,
};

const server = Server({ games: [duel], origins: [Origins.LOCALHOST] });
server.run({ port: { port: 0, host: '127.0.0.1' } }).then(({ appServer }) => {
    console.log(`http://127.0.0.1:${appServer.address().port}`);
});
