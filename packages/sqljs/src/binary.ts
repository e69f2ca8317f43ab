/** Which binary this package is written for. The build puts it, and the licence of sql.js, into `dist`. */

/**
 * A build of sql.js 1.16.0 (SQLite 3.54.1). The debug build: it keeps the
 * names of its imports and exports, and checks the end of its own stack,
 * which in the release build runs into SQLite's memory unnoticed.
 */
export const binaryName = "sql-wasm-debug.wasm"

/** SHA-256 of that file. */
export const pinnedHash = "d60edf60bd7134326204069ece82255dbe7c017f16664fbe6ed90ba89f277417"
