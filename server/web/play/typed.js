/** Codes and moves as phones and word processors write them. The server reads the same: `normalise_typed`. */

const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63]/g;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const SPACES = /[\s\u0085]/g;

/** Returns a typed text in the characters of the notation. @param {string} text */
export function normaliseTyped(text) {
  return text
    .replace(UNSEEN, "")
    .replace(DASHES, "-")
    .replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xff01 + 0x21))
    .replace(SPACES, " ")
    .trim();
}

/** Returns the letters and digits of a typed code. @param {string} text */
export function typedCode(text) {
  return normaliseTyped(text)
    .replace(/[^0-9a-z]/gi, "")
    .toUpperCase();
}
