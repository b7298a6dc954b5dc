/** The address of a match: `/m/CODE`. */
import { typedCode } from "../play/typed.js";

/** Returns the code in an address of a match, as people type and paste it. @param {string} path */
export function codeOf(path) {
  const [, text] = /^\/m\/([^/]+)\/*$/.exec(path) ?? [];
  if (!text) return null;
  let code = text;
  try {
    code = decodeURIComponent(text);
  } catch {
    // A stray percent sign is no part of a code.
  }
  return typedCode(code) || text;
}
