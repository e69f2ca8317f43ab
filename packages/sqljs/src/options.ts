/** Reads callers' options and paths. Throws the same errors as `node:sqlite`. */
import { isUtf8 } from "node:buffer"
import { isUint8Array } from "node:util/types"
import { invalidArgumentType, invalidArgumentValue, invalidUrlScheme, SQLITE_PERM, sqliteError } from "./errors.js"

export type Options = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Options =>
  (typeof value === "object" && value !== null) || typeof value === "function"

export const isInt32 = (value: unknown): value is number => typeof value === "number" && (value | 0) === value

export type Callable = (...parameters: unknown[]) => unknown

export const isCallable = (value: unknown): value is Callable => typeof value === "function"

/** Creates a function that returns an argument, and throws ERR_INVALID_ARG_TYPE for a value of another type. */
const requirer =
  <A>(is: (value: unknown) => value is A, kind: string) =>
  (value: unknown, name: string): A => {
    if (!is(value)) throw invalidArgumentType(`The "${name}" argument must be ${kind}.`)
    return value
  }

export const requireBoolean = requirer((value) => typeof value === "boolean", "a boolean")
export const requireBytes = requirer(isUint8Array, "a Uint8Array")
export const requireFunction = requirer(isCallable, "a function")
export const requireInt32 = requirer(isInt32, "an integer")
export const requireObject = requirer(isObject, "an object")
export const requireString = requirer((value) => typeof value === "string", "a string")

/** Creates a function that returns an option, or `fallback` if the option is absent. */
const reader =
  <A>(require: (value: unknown, name: string) => A) =>
  <Fallback extends A | undefined>(options: Options, name: string, fallback: Fallback): A | Fallback => {
    const value = options[name]
    return value === undefined ? fallback : require(value, `options.${name}`)
  }

export const readBoolean = reader(requireBoolean)
export const readFunction = reader(requireFunction)
export const readInt32 = reader(requireInt32)
export const readObject = reader(requireObject)
export const readString = reader(requireString)

/** The options at an argument index; empty if there are fewer arguments. Like Node.js, throws for an explicit `undefined`. */
export const optionsAt = (given: ArrayLike<unknown>, index: number): Options =>
  given.length > index ? requireObject(given[index], "options") : {}

export const optionsOr = (given: unknown): Options => (given === undefined ? {} : requireObject(given, "options"))

/** The name that SQLite opens for a path. The path is a string, the bytes of a string, or a file: URL. */
export const readPath = (path: unknown): string => {
  const location = locationOf(path)
  if (location === undefined || location.includes("\0")) {
    throw invalidArgumentType('The "path" argument must be a string, Uint8Array, or URL without null bytes.')
  }
  return location
}

const locationOf = (path: unknown): string | undefined => {
  if (typeof path === "string") return path
  if (isUint8Array(path)) {
    // SQLite expects names in UTF-8. Other bytes would become U+FFFD, so different files could get the same name.
    if (!isUtf8(path)) throw invalidArgumentValue('The bytes of the "path" argument must be valid UTF-8.')
    return Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString()
  }
  if (!isObject(path)) return undefined
  const { href } = path
  if (typeof href !== "string" || href.includes("\0")) return undefined
  if (!href.startsWith("file:")) throw invalidUrlScheme()
  return href
}

/** A URI that opens the same database read-only. If a URI parameter is repeated, SQLite uses the last one. */
export const readOnlyUri = (location: string): string => {
  if (location.startsWith("file:")) {
    const [name = "", ...fragment] = location.split("#")
    for (const parameter of name.split("?").slice(1).join("?").split("&")) {
      const [key, mode] = parameter.split("=", 2).map(unescaped)
      if (key === "mode" && (mode === "rw" || mode === "rwc")) throw sqliteError(SQLITE_PERM, `access mode not allowed: ${mode}`)
      if (key === "mode" && mode === "memory") return location
    }
    return [`${name}${name.includes("?") ? "&" : "?"}mode=ro`, ...fragment].join("#")
  }
  const escaped = location.replace(/[%?#]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
  return `file:${escaped.replace(/^\/+/, "/")}?mode=ro`
}

/** A URI parameter's name or value as SQLite decodes it: unescaped, and without the text after a NUL byte. */
const unescaped = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))).split("\0", 1)[0] ?? ""
