/** The setting that names a store. */
import { Either } from "effect"

/** Which adapter, and where its data is. `:memory:` is a path of its own: a store that ends with the process. */
export type DatabaseUrl = { readonly adapter: "memory" } | { readonly adapter: "sqlite"; readonly path: string }

/** What a database URL may look like, for error messages. */
const expected = "sqlite:PATH, sqlite::memory: or memory:"

/** Reads a database URL. Fails with what was expected. */
export const decodeDatabaseUrl = (url: string): Either.Either<DatabaseUrl, string> => {
  if (url === "memory:") return Either.right({ adapter: "memory" })
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  return path === undefined ? Either.left(expected) : Either.right({ adapter: "sqlite", path })
}
