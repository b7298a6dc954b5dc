/**
 * The wire, as far as the page reads it. PROTOCOL.md is the whole of it; every example there is one of the server's tests.
 *
 * @typedef {"creator" | "joiner"} Seat
 * @typedef {{ kind: "human", guest: string, name: string } | { kind: "bot", level: string }} Player
 * @typedef {Seat | "creator-chooses" | "joiner-chooses"} FirstMove
 * @typedef {"none" | { match: { initial_ms: number, increment_ms?: number } } | { move: { each_ms: number } }} TimeControl
 * @typedef {{ name: string, runs: [number, number, number][] }} Slot
 * @typedef {{ pattern: string, slots?: Slot[], total?: [number, number, number] }} Family
 * @typedef {{ match: string, code: string }} MatchRef
 *
 * @typedef {object} State
 * @property {string} game
 * @property {string} start
 * @property {string} position
 * @property {number} plies
 * @property {FirstMove} begins
 * @property {TimeControl} [time]
 * @property {{ creator_ms?: number, joiner_ms?: number, since: number }} [clocks]
 * @property {number} [grace_ms]
 * @property {{ creator: Player, joiner: Player | null }} players
 * @property {"public" | "private"} visibility
 * @property {boolean} [learning]
 * @property {{ seat: Seat, move: string } | null} last
 * @property {number} spectators
 * @property {"open" | "choosing" | "playing" | "over" | "closed"} phase
 * @property {Seat} [chooser]
 * @property {number} [until]
 * @property {Seat} [turn]
 * @property {Seat} [takeback]
 * @property {Family[]} [legal]
 * @property {Seat} [winner]
 * @property {string} [reason]
 * @property {{ state: "offered", by: Seat } | { state: "agreed", next: MatchRef }} [rematch]
 *
 * @typedef {object} Happening
 * @property {number} version
 * @property {number} at
 * @property {string} event
 * @property {Seat} [seat]
 * @property {string} [move]
 * @property {number} [plies]
 * @property {Player} [player]
 * @property {MatchRef} [next]
 *
 * @typedef {Happening & { type: "frame", match: string, code: string, state: State }} Frame
 * @typedef {{ type: "snapshot", match: string, code: string, version: number, events: Happening[], state: State }} Snapshot
 * @typedef {{ type: "presence", match: string, connected: Seat[], away?: { seat: Seat, since: number }[], spectators: number }} Presence
 * @typedef {{ number: number, at: number, guest: string, name: string, phrase?: string, text?: string }} Said
 * @typedef {{ type: "talk", match: string, room: "players" | "spectators", said: Said[] }} Talk
 * @typedef {{ type: "accepted", id: string, match?: string, code?: string, version?: number, seat?: Seat, next?: MatchRef }} Accepted
 * @typedef {{ type: "refused", id: string | null, reason: string, message: string, retry: boolean }} Refused
 * @typedef {{ type: "preview", id: string, match: string, version: number, move: string, position: string, over: boolean }} Preview
 *
 * @typedef {{ step: string, [field: string]: any }} Step
 * @typedef {object} Analysis
 * @property {string} position
 * @property {number} version
 * @property {"N" | "P"} [outcome]
 * @property {number} [nimber]
 * @property {string} [unknown]
 * @property {Family[]} winning
 * @property {boolean} complete
 * @property {Step[]} steps
 *
 * @typedef {{ version: number, position: string, move?: string, seat?: Seat, outcome?: "N" | "P", nimber?: number, gave_away?: boolean }} ReviewPly
 *
 * @typedef {{ code: string, game: string, start: string, creator: Player, joiner?: Player, begins: FirstMove, time?: TimeControl, learning?: boolean, created_at: number }} LobbyEntry
 * @typedef {{ open: LobbyEntry[], playing: LobbyEntry[] }} LobbyList
 *
 * @typedef {{ name: string, least: number, most: number, from: number, to: number }} Range
 * @typedef {{ id: string, title: string, rules: string, example: string, example_move: string, convention: "normal" | "misere", ranges: Range[] }} GameAbout
 */
export {};
