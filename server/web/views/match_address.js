/** The address of a match: `/m/CODE`. */

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
  return code.replace(/[^0-9a-z]/gi, "").toUpperCase() || text;
}
