/**
 * The end of a statement with at most this many rows. Node's build of SQLite compiles a statement with `LIMIT ?` again at each
 * execution.
 */
export const limited = "LIMIT ? + 0"
