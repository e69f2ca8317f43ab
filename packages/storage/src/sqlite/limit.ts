/** The end of a statement that gives at most this many rows. SQLite as Node builds it compiles one that ends with `LIMIT ?` anew at each execution. */
export const limited = "LIMIT ? + 0"
