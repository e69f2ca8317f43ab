/**
 * `problem`: the service does not start, does not respond, or does not accept any key. `warning`: one of these will happen, or
 * other users can read more than they should.
 */
export type State = "ok" | "warning" | "problem"

export interface Finding {
  readonly state: State
  /** What was checked, in a word or two. */
  readonly about: string
  /** The finding, as a sentence. */
  readonly says: string
  /** What to do, as a sentence or a command. Absent if there is nothing to do. */
  readonly remedy?: string | undefined
}

export const ok = (about: string, says: string): Finding => ({ state: "ok", about, says })

export const warning = (about: string, says: string, remedy: string): Finding => ({ state: "warning", about, says, remedy })

export const problem = (about: string, says: string, remedy?: string): Finding => ({ state: "problem", about, says, remedy })
