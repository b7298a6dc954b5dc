/**
 * What this browser remembers: who the guest is, and how the page should behave. Nothing of it is ever part of a link.
 * A browser that keeps nothing (private windows, blocked storage) plays as well, until the tab is closed.
 */

/** @type {Map<string, string>} */
const instead = new Map();

/** @param {string} name */
function read(name) {
  try {
    return localStorage.getItem(`fibfob.${name}`);
  } catch {
    return instead.get(name) ?? null;
  }
}

/**
 * @param {string} name
 * @param {string | null} value
 */
function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(`fibfob.${name}`);
    else localStorage.setItem(`fibfob.${name}`, value);
  } catch {
    if (value === null) instead.delete(name);
    else instead.set(name, value);
  }
}

/**
 * @typedef {object} Settings
 * @property {"auto" | "light" | "dark"} theme
 * @property {"en" | "de"} language
 * @property {boolean} confirm     a move is shown first and played by a second act
 * @property {string} level       of the bot that was last played
 */

/** @type {Settings} */
const DEFAULTS = {
  theme: "auto",
  language: document.documentElement.lang === "de" ? "de" : "en",
  confirm: true,
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

/** @param {Partial<Settings>} change */
export function change(change) {
  write("settings", JSON.stringify({ ...settings(), ...change }));
}

export const identity = {
  /** The secret that makes this browser the same guest again. */
  get token() {
    return read("token");
  },
  /** @param {string | null} token */
  set token(token) {
    write("token", token);
  },
  /** The name the guest chose; none until they did. */
  get name() {
    return read("name");
  },
  /** @param {string | null} name */
  set name(name) {
    write("name", name);
  },
};
