/** The setting that names a store. */
import { Option } from "effect"

/** Which adapter, and where its data is. `:memory:` is a path of its own: a store that ends with the process. */
export type DatabaseUrl = { readonly adapter: "memory" } | { readonly adapter: "sqlite"; readonly path: string }

/** What a database URL may look like, for error messages. */
export const databaseUrlForms = "sqlite:PATH, sqlite::memory: or memory:"

/** Reads a database URL. `None` if it has none of the forms. */
export const decodeDatabaseUrl = (url: string): Option.Option<DatabaseUrl> => {
  if (url === "memory:") return Option.some({ adapter: "memory" })
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  return path === undefined ? Option.none() : Option.some({ adapter: "sqlite", path })
}

/** Whether the store ends with the process: no other process can open it. */
export const isEphemeral = (url: DatabaseUrl): boolean => url.adapter === "memory" || url.path === ":memory:"
