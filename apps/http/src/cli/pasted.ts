/** Commands that a message shows, so that they can be pasted into a shell. */
import { type Config, settings } from "../config.js"

/** A word of a shell. */
export const quoted = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)

/** Whether this is the store that a service uses if no setting names one. */
export const isDefaultStore = ({ database }: Pick<Config, "database">): boolean =>
  "path" in database && `${database.adapter}:${database.path}` === settings.database.default

export const createKey = (account: string | undefined): string =>
  account === undefined
    ? "petstore accounts create NAME, then petstore keys create --account NAME"
    : `petstore keys create --account ${quoted(account)}`

/** What goes before a command so that it finds the same store. An address with a password is for no terminal. */
export const sameStore = (config: Pick<Config, "database">): string => {
  const { database } = config
  return isDefaultStore(config) || !("path" in database) ? "" : `DATABASE_URL=${quoted(`${database.adapter}:${database.path}`)} `
}
