/**
 * The commands of this tab that were sent and not answered. They survive a reload, so that the page sends them again
 * under the same id and the server counts them once.
 *
 * @typedef {{ id: string, body: { type: string, [field: string]: any } }} PendingCommand
 */

const NAME = "fibfob.pending";
/** The number of commands that are stored; beyond it the oldest are dropped. */
const COMMANDS_MAX = 8;

/** Returns the stored commands, the oldest first. @returns {PendingCommand[]} */
export function pendingCommands() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    if (!Array.isArray(stored)) return [];
    const valid = stored.filter(({ id, body }) => typeof id === "string" && typeof body?.type === "string");
    return valid.slice(-COMMANDS_MAX);
  } catch {
    return [];
  }
}

/** @param {PendingCommand} command */
export function storeCommand(command) {
  write([...pendingCommands(), command].slice(-COMMANDS_MAX));
}

/** Removes a command that was answered. @param {string} id */
export function removeCommand(id) {
  const stored = pendingCommands();
  if (stored.some((command) => command.id === id)) write(stored.filter((command) => command.id !== id));
}

/** @param {PendingCommand[]} commands */
function write(commands) {
  try {
    if (commands.length) sessionStorage.setItem(NAME, JSON.stringify(commands));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Without session storage the commands are lost on a reload.
  }
}
