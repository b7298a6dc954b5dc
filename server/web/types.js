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
 * All fields of the variants of a union. Those that only some variants have are optional, because the page looks at
 * fields more often than at variants.
 *
 * @template T
 * @typedef {T extends any ? keyof T : never} KeyOf
 */

/**
 * @template T
 * @template {PropertyKey} K
 * @typedef {T extends any ? K extends keyof T ? T[K] : never : never} ValueOf
 */

/**
 * @template T
 * @typedef {Pick<T, keyof T> & { [K in Exclude<KeyOf<T>, keyof T>]?: ValueOf<T, K> }} Open
 */

/**
 * @template T
 * @template {PropertyKey} K
 * @typedef {T extends any ? Omit<T, K> : never} Without
 */

/**
 * The messages of the wire. `npm run types` makes `wire` of the protocol's schema, which documents all of them.
 *
 * @typedef {Without<Exclude<import("wire").ClientMessage, import("wire").HelloRequest>, "id">} RequestBody
 * The actions in a match, which is the one that is shown.
 * @typedef {Without<Extract<RequestBody, { match: string }>, "match">} ActionBody
 * @typedef {Pick<Connection, "request">} Asked
 *
 * @typedef {import("wire").Seat} Seat
 * @typedef {import("wire").ProgramPlayer} Program
 * A later server may have further levels.
 * @typedef {Exclude<import("wire").Player, import("wire").BotPlayer> | { kind: "bot", level: string }} Player
 * @typedef {import("wire").FirstMove} FirstMove
 * @typedef {import("wire").TimeControl} TimeControl
 * @typedef {import("wire").MoveFamily} Family
 * @typedef {import("wire").MatchRef} MatchRef
 * @typedef {Open<import("wire").State>} State
 * @typedef {Open<import("wire").PastEvent>} TimedEvent
 * @typedef {Open<import("wire").FrameMessage>} Frame
 * @typedef {Omit<import("wire").SnapshotMessage, "state" | "events"> & { state: State, events: TimedEvent[] }} Snapshot
 * @typedef {Pick<import("wire").PresenceMessage, "away" | "renamed">} AwayAndRenamed
 * @typedef {import("wire").PresenceMessage} Presence
 * @typedef {Open<import("wire").ChatLine>} ChatLine
 * @typedef {import("wire").ChatPhrase} ChatPhrase
 * @typedef {import("wire").ChatMessage} ChatMessage
 * @typedef {import("wire").AcceptedMessage} Accepted
 * @typedef {import("wire").RefusedMessage} Refused
 * @typedef {import("wire").RefusalReason} RefusalReason
 * @typedef {import("wire").MatchPlace} MatchPlace
 * @typedef {Open<import("wire").GuestMatch>} GuestMatch
 *
 * What says how much time there is.
 * @typedef {Pick<State, "clocks" | "first_move_until" | "phase" | "turn">} Timed
 *
 * A part of a position, such as `{ kind: "heap", number: 2 }`.
 * @typedef {{ kind: string, [number: string]: string | number }} PartKey
 * @typedef {import("wire").UnknownReason} UnknownReason
 * @typedef {{ step: import("wire").ExplanationStep["step"], [field: string]: any }} ExplanationStep
 * @typedef {import("wire").Options} Options
 * @typedef {Omit<import("wire").AnalysisMessage, "type" | "id" | "match" | "steps"> &
 *   { steps: ExplanationStep[] }} Analysis
 * @typedef {Omit<import("wire").StudyMessage, "steps"> & { steps: ExplanationStep[] }} StudyAnswer
 * @typedef {Omit<StudyAnswer, "type" | "id" | "game" | "legal">} Reasons
 * @typedef {import("wire").ReviewedPly} ReviewPly
 * @typedef {Open<import("wire").Verdict>} Verdict
 * @typedef {import("wire").ReviewMessage} ReviewAnswer
 *
 * @typedef {import("wire").LobbyEntry} LobbyRow
 * @typedef {Pick<import("wire").LobbyMessage, "open" | "playing">} LobbyList
 * @typedef {import("wire").LobbyChangeMessage} LobbyChange
 *
 * The guest's finished matches, with what was kept of the positions that could be won.
 * @typedef {Pick<import("wire").IdeaCount, "had" | "kept">} Kept
 * @typedef {import("wire").RecordedMatch} Recorded
 *
 * @typedef {import("wire").OwnFlight} Own
 * @typedef {import("wire").TodayMessage} Flight
 *
 * The answers that are not `accepted`.
 * @typedef {{ review: ReviewAnswer, analyse: Analysis, study: StudyAnswer, puzzle: StudyAnswer, today: Flight,
 *   progress: import("wire").ProgressMessage, record: import("wire").RecordMessage,
 *   matches: Omit<import("wire").MatchesMessage, "matches"> & { matches: GuestMatch[] },
 *   games: import("wire").GamesMessage, preview: import("wire").PreviewMessage, legal: import("wire").LegalMessage,
 *   identity: import("wire").IdentityMessage, "take-identity": import("wire").IdentityMessage,
 *   "device-code": import("wire").DeviceCodeMessage }} Answers
 *
 * @typedef {import("wire").ListedGame} GameInfo
 * @typedef {import("wire").ShownMove} ShownMove
 *
 * The lessons of `/api/lessons`.
 * @typedef {{ [language: string]: string }} Texts
 * @typedef {{ kind: "show" | "find" | "colour" | "match", game?: string, text: Texts, position: string, move?: string,
 *   par?: number, positions?: string[], lost?: string[], level?: string }} Step
 * @typedef {{ name: string, stop: number, path: "flight" | "families", game: string, title: Texts, words: Texts,
 *   steps: Step[] }} Lesson
 */

/**
 * @template {string} T
 * @typedef {T extends keyof Answers ? Answers[T] : Accepted} AnswerTo
 */
