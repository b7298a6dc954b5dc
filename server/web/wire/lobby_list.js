/** The first page of the lobby after a change of it. */

/** @type {(list: LobbyList, change: LobbyChange) => LobbyList} */
export function changedLobby(list, change) {
  return {
    open: changed(list.open, change.gone ?? [], change.open ?? []),
    playing: changed(list.playing, change.gone ?? [], change.playing ?? []),
  };
}

/** Returns whether a bot or a program has a seat. @param {LobbyRow} row */
export function hasProgram({ creator, joiner }) {
  return [creator, joiner].some((player) => player && player.kind !== "human");
}

/** @type {(rows: LobbyRow[], gone: string[], added: LobbyRow[]) => LobbyRow[]} */
function changed(rows, gone, added) {
  const leaving = new Set([...gone, ...added.map((row) => row.code)]);
  const stay = rows.filter((row) => !leaving.has(row.code));
  /** @type {(row: LobbyRow) => number} */
  const programs = (row) => Number(hasProgram(row));
  /** @type {(one: LobbyRow, other: LobbyRow) => number} */
  const order = (one, other) => programs(one) - programs(other) || (one.round ?? 0) - (other.round ?? 0);
  return [...stay, ...added].sort((one, other) => order(one, other) || other.created_at - one.created_at);
}
