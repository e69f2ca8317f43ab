/** The URL of a store. */
import { resolve } from "node:path"
import * as Either from "effect/Either"
import { fileBehind, ownNames } from "./sqlite/engine/store-file.js"
import { StorageNotOpened } from "./storage-not-opened.js"

/** The adapter, and the place of its data. The path `:memory:` is a store that ends with the process. */
export type DatabaseUrl =
  | { readonly adapter: "memory" }
  /** One adapter on two engines: `node:sqlite`, or sql.js where Node lacks it. */
  | { readonly adapter: "sqlite" | "sqljs"; readonly path: string }
  /** The URL holds the password: never show it in messages. */
  | { readonly adapter: "postgres"; readonly url: string }

/** The forms of a database URL, for error messages. */
export const databaseUrlForms =
  "postgres://USER:PASSWORD@HOST/DATABASE, sqlite:PATH, sqlite::memory:, sqljs:PATH, sqljs::memory: or memory:"

/** Reads a database URL. Fails with `StorageNotOpened` if it has none of the forms; the reason leaves out the URL, which may hold a password. */
export const decodeDatabaseUrl = (url: string): Either.Either<DatabaseUrl, StorageNotOpened> => {
  if (url === "memory:") return Either.right({ adapter: "memory" })
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return Either.right({ adapter: "postgres", url })
  const [, adapter, path] = /^(sqlite|sqljs):(.+)$/.exec(url) ?? []
  return path === undefined
    ? Either.left(new StorageNotOpened({ reason: `Not a database URL: expected ${databaseUrlForms}.` }))
    : Either.right({ adapter: adapter === "sqljs" ? adapter : "sqlite", path })
}

/**
 * The name of a store for messages: a full path, or a URL with a masked password and without parameters, which may hold another.
 */
export const nameOfStore = (database: DatabaseUrl): string => {
  if (database.adapter === "memory") return "memory:"
  if (database.adapter !== "postgres") {
    return `${database.adapter}:${isEphemeral(database) ? database.path : resolve(database.path)}`
  }
  const { protocol, username, password, host, pathname } = new URL(database.url)
  const account = username === "" ? "" : `${username}${password === "" ? "" : ":***"}@`
  return `${protocol}//${account}${host}${pathname}`
}

/** The files of a store, with links resolved, which nothing else may overwrite. Empty for a server and for memory. */
export const filesOfStore = (database: DatabaseUrl): ReadonlyArray<string> =>
  "path" in database && !isEphemeral(database) ? ownNames(fileBehind(database.path)) : []

/** Whether the store ends with the process: no other process can open it. */
export const isEphemeral = (url: DatabaseUrl): boolean => url.adapter === "memory" || ("path" in url && url.path === ":memory:")
