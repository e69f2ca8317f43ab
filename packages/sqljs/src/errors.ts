/** The errors of `node:sqlite`, with the same classes, `code` (an enumerable property, as in Node.js), `errcode` and `errstr`. */

/** The SQLite result codes that this package names. @see https://sqlite.org/rescode.html */
export const SQLITE_OK = 0
export const SQLITE_PERM = 3
export const SQLITE_BUSY = 5
export const SQLITE_LOCKED = 6
export const SQLITE_NOMEM = 7
export const SQLITE_READONLY = 8
export const SQLITE_CORRUPT = 11
export const SQLITE_SCHEMA = 17
export const SQLITE_CONSTRAINT = 19
export const SQLITE_MISUSE = 21
export const SQLITE_AUTH = 23
export const SQLITE_ROW = 100
export const SQLITE_DONE = 101

const withCode = <E extends Error, P extends object>(error: E, properties: P): E & P => Object.assign(error, properties)

export const invalidArgumentType = (message: string) => withCode(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" })
export const invalidArgumentValue = (message: string) => withCode(new TypeError(message), { code: "ERR_INVALID_ARG_VALUE" })
export const invalidState = (message: string) => withCode(new Error(message), { code: "ERR_INVALID_STATE" })
export const outOfRange = (message: string) => withCode(new RangeError(message), { code: "ERR_OUT_OF_RANGE" })
export const illegalConstructor = () => withCode(new Error("Illegal constructor"), { code: "ERR_ILLEGAL_CONSTRUCTOR" })

export const invalidUrlScheme = () =>
  withCode(new TypeError("The URL must be of scheme file:"), { code: "ERR_INVALID_URL_SCHEME" })
export const constructCallRequired = () =>
  withCode(new TypeError("Cannot call constructor without `new`"), { code: "ERR_CONSTRUCT_CALL_REQUIRED" })

/** Thrown by functions that sql.js cannot provide. The README lists these functions. */
export const notImplemented = (name: string, reason: string) =>
  withCode(new Error(`${name} is not implemented by @petstore/sqljs: ${reason}`), { code: "ERR_METHOD_NOT_IMPLEMENTED" })

/** A failure that SQLite did not report itself, and that therefore has no `errcode`. */
export const sqliteErrorWithMessage = (message: string) => withCode(new Error(message), { code: "ERR_SQLITE_ERROR" })

/** A failure that SQLite reported. `errcode` is the extended result code, and `errstr` is its English description. */
export const sqliteError = (errcode: number, message = errorString(errcode)) =>
  withCode(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: errorString(errcode) })

/** A failure that is known only by its code, without `errstr`, such as a changeset's. */
export const sqliteErrorOfCode = (errcode: number) =>
  withCode(new Error(errorString(errcode)), { code: "ERR_SQLITE_ERROR", errcode })

export const errcodeOf = (thrown: unknown): number | undefined =>
  typeof thrown === "object" && thrown !== null && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode
    : undefined

const errorStrings: Readonly<Record<number, string>> = {
  0: "not an error",
  1: "SQL logic error",
  3: "access permission denied",
  4: "query aborted",
  5: "database is locked",
  6: "database table is locked",
  7: "out of memory",
  8: "attempt to write a readonly database",
  9: "interrupted",
  10: "disk I/O error",
  11: "database disk image is malformed",
  12: "unknown operation",
  13: "database or disk is full",
  14: "unable to open database file",
  15: "locking protocol",
  17: "database schema has changed",
  18: "string or blob too big",
  19: "constraint failed",
  20: "datatype mismatch",
  21: "bad parameter or other API misuse",
  22: "large file support is disabled",
  23: "authorization denied",
  25: "column index out of range",
  26: "file is not a database",
  27: "notification message",
  28: "warning message",
  100: "another row available",
  101: "no more rows available",
  516: "abort due to ROLLBACK",
}

/** The result of `sqlite3_errstr`: the text for the extended code or, without one, for its primary code. */
export const errorString = (errcode: number): string => errorStrings[errcode] ?? errorStrings[errcode & 0xff] ?? "unknown error"
