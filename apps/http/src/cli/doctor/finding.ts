/** A finding of the doctor. */

/**
 * `problem`: the service does not start, does not respond, or accepts no key. `warning`: this will happen, or other users may
 * read too much.
 */
export type State = "ok" | "warning" | "problem"

export interface Finding {
  readonly state: State
  /** What was checked, in a word or two. */
  readonly about: string
  /** A sentence. */
  readonly says: string
  /** What to do, a sentence or a command; absent if nothing is to be done. */
  readonly remedy?: string
}

export const ok = (about: string, says: string): Finding => ({ state: "ok", about, says })

export const warning = (about: string, says: string, remedy: string): Finding => ({ state: "warning", about, says, remedy })

export const problem = (about: string, says: string, remedy?: string): Finding => ({
  ...{ state: "problem", about, says },
  ...(remedy !== undefined && { remedy }),
})
