import { resolve } from "node:path"
import * as Either from "effect/Either"
import { problemOfParameters } from "./postgres/engine/address.js"
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
  "postgres://USER:PASSWORD@HOST/DATABASE (write / ? # @ % in USER and PASSWORD as %2F %3F %23 %40 %25), sqlite:PATH (such as sqlite:./pets.db or sqlite:/srv/pets.db, without // and without white space at its end), sqlite::memory:, sqljs:PATH, sqljs::memory: or memory:"

/** Whether a PostgreSQL URL has the parts that its author meant. A raw `/`, `?` or `#` in a password would end the host early. */
const isPostgresUrl = (url: string): boolean => {
  const [, authority = "", rest = ""] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const parsed = URL.parse(url)
  if (parsed === null || url.includes("#") || /\s/.test(url)) return false
  // An account in the query is separate from one in front of the host.
  const [path = "", ...query] = rest.split("?")
  if (path.includes("@") || (!authority.includes("@") && path === "" && query.join("?").includes("@"))) return false
  try {
    return decodeURIComponent(parsed.username + parsed.password + parsed.pathname) !== undefined
  } catch {
    return false
  }
}

/** Decodes a database URL, or fails with `StorageNotOpened`. The reason omits the URL, which can contain a password. */
export const decodeDatabaseUrl = (url: string): Either.Either<DatabaseUrl, StorageNotOpened> => {
  if (url === "memory:") return Either.right({ adapter: "memory" })
  if (/^postgres(?:ql)?:\/\//.test(url) && isPostgresUrl(url)) {
    const problem = problemOfParameters(url)
    if (problem === undefined) return Either.right({ adapter: "postgres", url })
    return Either.left(new StorageNotOpened({ reason: `Not a database URL: ${problem}.` }))
  }
  const [, adapter, path] = /^(sqlite|sqljs):(?!\/\/|\s)(.*\S)$/s.exec(url) ?? []
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
