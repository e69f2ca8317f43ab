/**
 * The end of a statement that limits its number of rows. Node's build of SQLite recompiles a statement with a plain `LIMIT ?` on
 * every execution.
 */
export const limited = "LIMIT ? + 0"
