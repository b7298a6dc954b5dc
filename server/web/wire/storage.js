/**
 * The browser's storage: the guest's identity and the settings. Nothing of it is part of a link. Without storage
 * (private windows, blocked storage) the page keeps the values until the tab is closed.
 */

/** @type {Map<string, string>} */
const fallback = new Map();

/** Returns the key of a stored value, as storage events have it. @param {string} name */
export function keyOf(name) {
  return `fibfob.${name}`;
}

/** @param {string} name */
function read(name) {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** @type {(name: string, value: string | null) => void} */
function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(keyOf(name));
    else localStorage.setItem(keyOf(name), value);
  } catch {
    if (value === null) fallback.delete(name);
    else fallback.set(name, value);
  }
}

/** Returns a stored object or list; `null` if there is none that can be read. @param {string} name */
function readJson(name) {
  try {
    return JSON.parse(read(name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Settings
 * @property {"auto" | "light" | "dark"} theme
 * @property {import("../words/words.js").Language | null} language   the chosen one; `null` for the browser's
 * @property {boolean} confirm     whether a move is shown before it is played
 * @property {boolean} sound       whether a soft sound calls the player
 * @property {boolean} notify      whether notifications call the player
 * @property {string} level       the level of the last bot
 */

/** @type {Settings} */
const DEFAULTS = {
  theme: "auto",
  language: null,
  confirm: true,
  sound: true,
  notify: false,
  level: "casual",
};

/** @returns {Settings} */
export function settings() {
  return { ...DEFAULTS, ...readJson("settings") };
}

/** @param {Partial<Settings>} changes */
export function changeSettings(changes) {
  write("settings", JSON.stringify({ ...settings(), ...changes }));
}

/**
 * Returns whether the rules of a game were not shown in this browser before, and remembers that they are now.
 * @param {string} game
 */
export function firstTime(game) {
  const list = readJson("known");
  const known = Array.isArray(list) ? list : [];
  if (known.includes(game)) return false;
  write("known", JSON.stringify([...known, game]));
  return true;
}

export const identity = {
  /** The secret token of this browser's guest. */
  get token() {
    return read("token");
  },
  /** @param {string | null} token */
  set token(token) {
    write("token", token);
  },
  /** The name that the guest chose; `null` before. */
  get name() {
    return read("name");
  },
  /** @param {string | null} name */
  set name(name) {
    write("name", name);
  },
};
