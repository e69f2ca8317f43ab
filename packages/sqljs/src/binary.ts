/** The binary that this package is written for. The build copies the binary and sql.js's licence into `dist`. */

/**
 * A build of sql.js 1.16.0 (SQLite 3.54.1). This is the debug build, which preserves the names of its imports and exports and
 * checks for stack overflows. In the release build, a stack overflow would silently overwrite SQLite's memory.
 */
export const binaryName = "sql-wasm-debug.wasm"

/** SHA-256 of the binary. */
export const pinnedHash = "d60edf60bd7134326204069ece82255dbe7c017f16664fbe6ed90ba89f277417"
