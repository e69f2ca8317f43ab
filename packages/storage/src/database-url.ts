import { resolve } from "node:path"
import * as Either from "effect/Either"
import { fileBehind, ownNames } from "./sqlite/engine/store-file.js"
import { StorageNotOpened } from "./storage-not-opened.js"

/** The adapter and the location of its data. With the path `:memory:`, the store is lost when the process exits. */
export type DatabaseUrl =
  | { readonly adapter: "memory" }
  /** One adapter on two engines: `node:sqlite`, or sql.js where the runtime does not have `node:sqlite`. */
  | { readonly adapter: "sqlite" | "sqljs"; readonly path: string }
  /** The URL contains the password: never show it in messages. */
  | { readonly adapter: "postgres"; readonly url: string }

/** The supported forms of a database URL, for error messages. */
export const databaseUrlForms =
  "postgres://USER:PASSWORD@HOST/DATABASE, sqlite:PATH, sqlite::memory:, sqljs:PATH, sqljs::memory: or memory:"

/** Decodes a database URL, or fails with `StorageNotOpened`. The reason omits the URL, which can contain a password. */
export const decodeDatabaseUrl = (url: string): Either.Either<DatabaseUrl, StorageNotOpened> => {
  if (url === "memory:") return Either.right({ adapter: "memory" })
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return Either.right({ adapter: "postgres", url })
  const [, adapter, path] = /^(sqlite|sqljs):(.+)$/.exec(url) ?? []
  return path === undefined
    ? Either.left(new StorageNotOpened({ reason: `Not a database URL: expected ${databaseUrlForms}.` }))
    : Either.right({ adapter: adapter === "sqljs" ? adapter : "sqlite", path })
}

/**
 * A store's name for messages: an absolute path, or a URL with a masked password and without parameters, because parameters can
 * also contain a password.
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

/** A store's files, with links resolved; none for servers and in-memory stores. Other output must not overwrite these files. */
export const filesOfStore = (database: DatabaseUrl): ReadonlyArray<string> =>
  "path" in database && !isEphemeral(database) ? ownNames(fileBehind(database.path)) : []

/** Whether the store is in memory, so that no other process can open it. */
export const isEphemeral = (url: DatabaseUrl): boolean => url.adapter === "memory" || ("path" in url && url.path === ":memory:")
