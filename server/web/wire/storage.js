/**
 * The browser's storage: the guest's identity, the settings, and the commands without an answer. Nothing of it is part
 * of a link. Without storage (private windows, blocked storage) the page keeps the values until the tab is closed.
 */

/** @type {Map<string, string>} */
const fallback = new Map();

/** Returns the key of a stored value, as storage events have it. @param {string} name */
export function keyOf(name) {
  return `fibfob.${name}`;
}

/** Removes everything that the page has stored in this browser. */
export function clearStorage() {
  fallback.clear();
  for (const storage of [inBrowser, inTab]) {
    try {
      for (const key of Object.keys(storage())) if (key.startsWith(keyOf(""))) storage().removeItem(key);
    } catch {
      // It is blocked, and has nothing.
    }
  }
}

const inBrowser = () => localStorage;
const inTab = () => sessionStorage;

/** Returns a stored text, or `null`. @type {(name: string, storage?: () => Storage) => string | null} */
function read(name, storage = inBrowser) {
  try {
    return storage().getItem(keyOf(name));
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** @type {(name: string, value: string | null, storage?: () => Storage) => void} */
function write(name, value, storage = inBrowser) {
  try {
    if (value === null) storage().removeItem(keyOf(name));
    else storage().setItem(keyOf(name), value);
  } catch {
    if (value === null) fallback.delete(name);
    else fallback.set(name, value);
  }
}

/** @type {(name: string, storage?: () => Storage) => any} */
function readJson(name, storage) {
  try {
    return JSON.parse(read(name, storage) ?? "null");
  } catch {
    return null;
  }
}

/** The settings, as they are before the first change. @typedef {typeof DEFAULTS} Settings */
const DEFAULTS = {
  theme: /** @type {"auto" | "light" | "dark"} */ ("auto"),
  /** `null` for the browser's. */
  language: /** @type {import("../words/words.js").Language | null} */ (null),
  /** Whether a move is shown before it is played. */
  confirm: true,
  /** Whether a soft sound, and whether notifications call the player. */
  sound: true,
  notify: false,
  /** The newest wish to be called while no page is open. */
  called: /** @type {string | null} */ (null),
  /** The level of the last bot. */
  level: "casual",
  /** The matches that the lobby shows: all, those between people, or those with a bot or a program. */
  lobby: "all",
  /** Whether the viewer ever had a match. */
  played: false,
};

/** @returns {Settings} */
export function settings() {
  return { ...DEFAULTS, ...readJson("settings") };
}

/** @param {Partial<Settings>} changes */
export function changeSettings(changes) {
  write("settings", JSON.stringify({ ...settings(), ...changes }));
}

/** Returns whether the rules of a game were never shown here, and remembers it. @param {string} game */
export function firstTime(game) {
  const list = readJson("known");
  const known = Array.isArray(list) ? list : [];
  if (known.includes(game)) return false;
  write("known", JSON.stringify([...known, game]));
  return true;
}

/** The most commands of a tab that are stored; beyond it the oldest are dropped. */
const COMMANDS_MAX = 8;

/**
 * The commands of this tab that were sent and not answered, the oldest first. They survive a reload.
 * @typedef {{ id: string, body: RequestBody }} PendingCommand
 * @returns {PendingCommand[]}
 */
export function pendingCommands() {
  const stored = readJson("pending", inTab);
  const valid = (/** @type {any} */ one) => typeof one?.id === "string" && typeof one.body?.type === "string";
  return Array.isArray(stored) ? stored.filter(valid) : [];
}

/** @param {PendingCommand[]} commands */
export function storeCommands(commands) {
  write("pending", commands.length ? JSON.stringify(commands.slice(-COMMANDS_MAX)) : null, inTab);
}

/** The most matches that are kept; a guest has seats in fewer. */
const KEPT_MAX = 128;

/** Returns the ids of this guest's matches that are not over, or with an end that the viewer has not seen. */
export function keptMatches() {
  const stored = readJson("kept", place());
  return stored?.guest === owner() && Array.isArray(stored.matches) ? /** @type {string[]} */ (stored.matches) : [];
}

/** @param {string[]} matches */
export function keepMatches(matches) {
  // Without any, nothing is stored: also a tab that hears of a forgotten guest comes here.
  const wanted = matches.length ? JSON.stringify({ guest: owner(), matches: matches.slice(-KEPT_MAX) }) : null;
  if (read("kept", place()) !== wanted) write("kept", wanted, place());
}

/** Returns the public part of the guest's token. */
function owner() {
  return identity.token?.split(".")[0] ?? "";
}

/**
 * The newest invitation of this tab, whose terms may change until the link is sent; `null` if there is none.
 * @typedef {{ code: string, terms: any, sent?: boolean, focus?: string }} Invitation
 * @returns {Invitation | null}
 */
export function invitation() {
  return readJson("invitation", inTab);
}

/** @param {Invitation} invitation */
export function storeInvitation(invitation) {
  write("invitation", JSON.stringify(invitation), inTab);
}

/**
 * What follows on the newest match of a lesson in this tab: the address of the match, that of the next lesson, and what
 * the way there is called.
 * @typedef {{ match: string, href: string, words: string }} Onward
 * @returns {Onward | null}
 */
export function onward() {
  return readJson("onward", inTab);
}

/** @param {Onward} onward */
export function storeOnward(onward) {
  write("onward", JSON.stringify(onward), inTab);
}

/** Returns where the identity is stored: a tab of a second guest keeps its own. */
function place() {
  return read("second", inTab) === null ? inBrowser : inTab;
}

export const identity = {
  get token() {
    return read("token", place());
  },
  /** @param {string | null} token */
  set token(token) {
    write("token", token, place());
  },
  /** The name that the guest chose; `null` before. */
  get name() {
    return read("name", place());
  },
  /** @param {string | null} name */
  set name(name) {
    write("name", name, place());
  },
  /** Whether this tab is a second guest's. */
  get isSecond() {
    return place() === inTab;
  },
  /** Makes this tab a second guest's, until it is closed. */
  separate() {
    write("second", "", inTab);
  },
};
