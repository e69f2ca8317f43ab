/** Commands in messages, ready to paste into a shell. */
import { type Config, settings } from "../config.js"

/** Quotes a word for a shell, if it needs quotes. */
export const quoted = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)

export const isDefaultStore = ({ database }: Pick<Config, "database">): boolean =>
  "path" in database && `${database.adapter}:${database.path}` === settings.database.default

export const createKey = (account: string | undefined): string =>
  account === undefined
    ? "petstore accounts create NAME, then petstore keys create --account NAME"
    : `petstore keys create --account ${quoted(account)}`

/** Sets DATABASE_URL for a pasted command. Empty for the default store, and for a server, whose URL may contain a password. */
export const sameStore = (config: Pick<Config, "database">): string => {
  const { database } = config
  return isDefaultStore(config) || !("path" in database) ? "" : `DATABASE_URL=${quoted(`${database.adapter}:${database.path}`)} `
}

/** A developer's first requests: adds a pet, and lists all pets. `header` carries the API key, and is quoted for a shell. */
export const addAndList = (baseUrl: string, header: string): string => {
  const curl = `curl -sS -w '\\n' -H ${header}`
  const pet = `{"name":"Bello","categoryId":1,"status":"available"}`
  return `${curl} -H 'Content-Type: application/json' -d '${pet}' ${baseUrl}/pets && ${curl} ${baseUrl}/pets`
}
