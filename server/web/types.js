/**
 * The types that several modules name. This is no module, so that all know them, as those of the browser.
 *
 * @typedef {{ element: HTMLElement, leave?: () => void }} View
 * Shows an address. Resolves once its view is there: until then the view before it can still be clicked.
 * @typedef {(path: string, how?: { replace?: boolean }) => Promise<void>} Go
 * @typedef {{ connection: Connection, go: Go, rebuild: () => void }} Page
 *
 * A part of the page of a match, and what it calls the viewer for.
 * @typedef {{ element: HTMLElement, update: () => void, leave?: () => void }} Part
 * @typedef {"joined" | "choice" | "turn" | "takeback" | "rematch" | "claim" | "over"} Call
 *
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {{ element: HTMLElement | SVGElement, update: (scene: Scene) => void }} Picture
 *
 * @typedef {object} Scene
 * @property {string} position
 * @property {string} start            the start of the match, the scale of gauges
 * @property {string | null} ghost     the position after the chosen move
 * @property {string | null} chosen    the chosen move
 * @property {string | null} last      the move that led here
 * @property {string | null} [before]  the position before that move, if it is known
 * @property {LegalMoves} legal             empty if there is nothing to choose
 * @property {LegalMoves | null} winning    the winning moves, if they may be shown
 * @property {(move: string) => void} propose
 * @property {string} [prefix]         what the moves of a component begin with in the notation of its sum
 *
 * @typedef {import("./play/legal_moves.js").LegalMoves} LegalMoves
 * @typedef {import("./play/study.js").Study} Study
 * @typedef {import("./views/match.js").ShownMatch} ShownMatch
 * @typedef {import("./wire/connection.js").Connection} Connection
 * @typedef {import("./wire/followed_match.js").FollowedMatch} FollowedMatch
 * @typedef {import("./words/words.js").Word} Word
 */

/**
 * The messages of the wire, as far as the page reads them. PROTOCOL.md documents all of them.
 *
 * @typedef {{ type: string, [field: string]: any }} RequestBody
 * @typedef {Pick<Connection, "request">} Asked
 *
 * @typedef {"creator" | "joiner"} Seat
 * @typedef {{ kind: "program", guest: string, name: string, author?: string, url?: string }} Program
 * @typedef {{ kind: "human", guest: string, name: string } | Program | { kind: "former" }
 *   | { kind: "bot", level: string }} Player
 * @typedef {Seat | "creator-chooses" | "joiner-chooses"} FirstMove
 * @typedef {"none"
 *   | { match: { initial_ms: number, increment_ms?: number } }
 *   | { move: { each_ms: number } }} TimeControl
 * @typedef {string | { pattern: string, total?: [number, number, number] }} Family
 * @typedef {{ match: string, code: string }} MatchRef
 *
 * @typedef {object} State
 * @property {string} game
 * @property {string} start
 * @property {string} position
 * @property {number} plies
 * @property {FirstMove} first
 * @property {TimeControl} [time]
 * @property {{ creator_ms?: number, joiner_ms?: number, since: number }} [clocks]
 * @property {number} [grace_ms]
 * @property {{ creator: Player, joiner?: Player }} players
 * @property {"public" | "private"} visibility
 * @property {boolean} [learning]
 * @property {{ seat: Seat, move: string }} [last]
 * @property {number} spectators
 * @property {"open" | "choosing" | "playing" | "over" | "closed"} phase
 * @property {Seat} [chooser]
 * @property {number} [until]
 * @property {Seat} [turn]
 * @property {number} [first_move_until] when the match closes unless the player to move makes their first move
 * @property {Seat} [takeback]
 * @property {Family[]} [legal]
 * @property {Seat} [winner]
 * @property {string} [reason]
 * @property {{ state: "offered", by: Seat } | { state: "agreed", next: MatchRef }} [rematch]
 *
 * @typedef {object} TimedEvent
 * @property {number} version
 * @property {number} at
 * @property {string} event
 * @property {Seat} [seat]
 * @property {string} [move]
 * @property {number} [plies]
 * @property {Player} [player]
 * @property {string} [position] after it, in a snapshot
 * @property {MatchRef} [next]
 * @property {string} [text] the operator's words, of `stopped`
 *
 * @typedef {TimedEvent & { type: "frame", match: string, change?: Partial<Record<keyof State, any>> }} Frame
 * @typedef {{ type: "snapshot", match: string, version: number, events: TimedEvent[], state: State }} Snapshot
 *
 * @typedef {{ away?: { seat: Seat, since: number }[], renamed?: { seat: Seat, name: string }[] }} AwayAndRenamed
 * @typedef {{ connected: Seat[], spectators: number } & AwayAndRenamed} Presence
 * @typedef {{ number: number, at: number, guest: string, name: string, phrase?: string, text?: string }} ChatLine
 * @typedef {{ type: "chat", match: string, channel: "players" | "spectators", lines: ChatLine[] }} ChatMessage
 *
 * @typedef {{ type: "accepted", id: string, muted?: boolean, next?: MatchRef } & Partial<MatchRef>} Accepted
 *
 * @typedef {{ id?: string, reason: RefusalReason, message: string, retry: boolean,
 *   retry_after_ms?: number }} Refused
 *
 * @typedef {import("./words/en/refused.js").RefusalReason} RefusalReason
 *
 * @typedef {{ name: string, author?: string, url?: string, games: { game: string }[] }} ProgramEntry
 *
 * @typedef {"chooser" | "turn" | "first_move_until" | "takeback" | "winner" | "reason" | "rematch"} Standing
 * @typedef {MatchRef & Pick<State, "game" | "plies" | "clocks" | "phase" | Standing> &
 *   { seat: Seat, opponent?: Player, created_at: number, version: number, at: number }} GuestMatch
 *
 * What says how much time there is.
 * @typedef {Pick<State, "clocks" | "first_move_until" | "phase" | "turn">} Timed
 *
 * A part of a position, such as `{ kind: "heap", number: 2 }`.
 * @typedef {{ kind: string, [number: string]: string | number }} PartKey
 * @typedef {{ reason: "past-table", index: "coins" | "coins-in-a-heap", size: number, bound: number }
 *   | { reason: "misere" | "too-much-work" }} UnknownReason
 * @typedef {{ step: string, [field: string]: any }} ExplanationStep
 *
 * @typedef {{ position: string, version: number, outcome?: "N" | "P", nimber?: number }} Value
 * The nimbers that each family of moves leads to, and the smallest that none does.
 * @typedef {{ families: { moves: string, values: number[], complete: boolean }[], mex?: number }} Options
 * `needed` is the simplest idea that finds a winning move, and `best` is that move.
 * @typedef {{ options?: Options, needed?: string, best?: string, too_much_work?: string[] }} Ideas
 * @typedef {{ unknown?: UnknownReason, winning: Family[], complete: boolean, steps: ExplanationStep[] }} Argument
 * @typedef {Argument & Ideas} Reasons
 * @typedef {Value & Reasons} Analysis
 * Of a ply that gave a won position away, `better` would have kept it, and `missed` is the idea that finds it.
 * @typedef {Value & { move?: string, seat?: Seat, taken_back?: boolean, can_win?: Seat, gave_away?: boolean,
 *   better?: string, missed?: string }} ReviewPly
 * @typedef {{ kind: "unknown" | "still-winning" | "kept" | "given-away", ply?: number, returned?: number }} Verdict
 * @typedef {{ plies: ReviewPly[], verdict?: Verdict }} ReviewAnswer
 *
 * What the server knows of a position that nobody plays.
 * @typedef {{ game: string, legal: Family[] }} StudyPosition
 * @typedef {Omit<Value, "version"> & Reasons & StudyPosition} StudyAnswer
 *
 * @typedef {Pick<State, "game" | "start" | "first" | "time" | "learning"> &
 *   { code: string, creator: Player, joiner?: Player,
 *   created_at: number, programs?: boolean, round?: number }} LobbyRow
 *
 * @typedef {{ open: LobbyRow[], playing: LobbyRow[] }} LobbyList
 * @typedef {{ gone?: string[], open?: LobbyRow[], playing?: LobbyRow[] }} LobbyChange
 *
 * The guest's finished matches, with what was kept of the positions that could be won.
 * @typedef {{ had: number, kept: number }} Kept
 * @typedef {{ code: string, game: string, ended: number, won: boolean, against?: string,
 *   ideas: (Kept & { idea: string })[] }} Recorded
 *
 * @typedef {{ state: "flying" | "arrived" | "erased", code: string, moves: number, slips: number, line: string }} Own
 * @typedef {{ number: number, date: string, game: string, position: string, streak: number,
 *   own?: Own }} Flight
 *
 * @typedef {{ [language: string]: string }} Texts
 * @typedef {{ kind: "show" | "find" | "colour" | "match", game?: string, text: Texts, position: string, move?: string,
 *   par?: number, positions?: string[], lost?: string[], level?: string }} Step
 * @typedef {{ name: string, stop: number, path: "flight" | "families", game: string, title: Texts, words: Texts,
 *   steps: Step[] }} Lesson
 *
 * @typedef {object} GameInfo
 * @property {string} id
 * @property {string} title
 * @property {string} example
 * @property {string} example_move
 * @property {"normal" | "misere"} convention
 * @property {{ name: string, from: number, wild: number }[]} ranges
 * @property {string[]} [grades] the grades of its puzzles; older servers tell none
 * @property {{ introduction: string[], goal: string, moves: ShownMove[] }} how_to_play
 *
 * @typedef {{ sentence: string, position: string, move: string, after: string }} ShownMove
 */
