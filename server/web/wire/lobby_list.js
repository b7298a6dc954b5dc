/**
 * The first page of the lobby after a change of it.
 *
 * @typedef {import("./types.js").LobbyRow} LobbyRow
 * @typedef {import("./types.js").LobbyList} LobbyList
 */

/**
 * @param {LobbyList} list
 * @param {import("./types.js").LobbyChange} change
 * @returns {LobbyList}
 */
export function changedLobby(list, change) {
  return {
    open: changed(list.open, change.gone ?? [], change.open ?? []),
    playing: changed(list.playing, change.gone ?? [], change.playing ?? []),
  };
}

/**
 * @param {LobbyRow[]} rows
 * @param {string[]} gone
 * @param {LobbyRow[]} added
 */
function changed(rows, gone, added) {
  const leaving = new Set([...gone, ...added.map((row) => row.code)]);
  const stay = rows.filter((row) => !leaving.has(row.code));
  return [...stay, ...added].sort(
    (one, other) =>
      Number(hasBot(one)) - Number(hasBot(other)) ||
      (one.round ?? 0) - (other.round ?? 0) ||
      other.created_at - one.created_at,
  );
}

/** @param {LobbyRow} row */
function hasBot(row) {
  return row.creator.kind === "bot" || row.joiner?.kind === "bot";
}
