/** The binary that this package is written for. The build copies it, and the licence of sql.js, into `dist`. */

/**
 * A build of sql.js 1.16.0 (SQLite 3.54.1). The debug build: it keeps the names of its imports and exports, and checks for the
 * end of its stack. In the release build an overflow silently overwrites SQLite's memory.
 */
export const binaryName = "sql-wasm-debug.wasm"

/** SHA-256 of that file. */
export const pinnedHash = "d60edf60bd7134326204069ece82255dbe7c017f16664fbe6ed90ba89f277417"
