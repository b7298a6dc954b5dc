/**
 * The browser's storage: the guest's identity and the settings. Nothing of it is part of a link. Without storage
 * (private windows, blocked storage) the page keeps the values until the tab is closed.
 */

/** @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} name */
function read(name) {
  try {
    return localStorage.getItem(`fibfob.${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** @type {(name: string, value: string | null) => void} */
function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(`fibfob.${name}`);
    else localStorage.setItem(`fibfob.${name}`, value);
  } catch {
    if (value === null) fallback.delete(name);
    else fallback.set(name, value);
  }
}

/**
 * @typedef {object} Settings
 * @property {"auto" | "light" | "dark"} theme
 * @property {"en" | "de"} language
 * @property {boolean} confirm     whether a move is shown before it is played
 * @property {boolean} sound       whether a soft sound calls the player
 * @property {boolean} notify      whether notifications call the player
 * @property {string} level       the level of the last bot
 */

/** @type {Settings} */
const DEFAULTS = {
  theme: "auto",
  language: document.documentElement.lang === "de" ? "de" : "en",
  confirm: true,
  sound: true,
  notify: false,
  level: "casual",
};

/** @returns {Settings} */
export function settings() {
  try {
    return { ...DEFAULTS, ...JSON.parse(read("settings") ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

/** @param {Partial<Settings>} changes */
export function changeSettings(changes) {
  write("settings", JSON.stringify({ ...settings(), ...changes }));
}

/** Returns the games whose rules this browser has shown. @returns {string[]} */
function shownRules() {
  try {
    const list = JSON.parse(read("known") ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/**
 * Returns whether the rules of a game were not shown in this browser before, and remembers that they are now.
 * @param {string} game
 */
export function firstTime(game) {
  const list = shownRules();
  if (list.includes(game)) return false;
  write("known", JSON.stringify([...list, game]));
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
  /** Returns whether a storage event with this key is about the token. @param {string | null} key */
  isToken(key) {
    return key === "fibfob.token";
  },
  /** Returns whether a storage event with this key is about the name. @param {string | null} key */
  isName(key) {
    return key === "fibfob.name";
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
