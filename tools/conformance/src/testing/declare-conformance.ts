import { describe, it } from "vitest"
import { attempt, type Target } from "../outcome.ts"
import { isPartOf } from "../sentence.ts"
import { suite } from "../suite.ts"

export type { Target } from "../outcome.ts"

/** The part of the suite to declare. */
export interface Selection {
  /** Sections or sentences to declare (`["4.4", "8.3"]`). The default is all of them. */
  readonly sections?: ReadonlyArray<string>
  /** Sections or sentences to leave out, because other tests cover them. The value names the other test. */
  readonly elsewhere?: Readonly<Record<string, string>>
}

/**
 * Declares the sentences as Vitest tests against one service. A sentence that cannot be tested on this service fails: no sentence
 * is skipped. `target` is called when a test runs, so that a `beforeAll` can start the service.
 */
export const declareConformance = (name: string, target: () => Target, { sections, elsewhere = {} }: Selection): void => {
  const selected = suite.filter(
    ({ number }) => (sections === undefined || isPartOf(number, sections)) && !isPartOf(number, Object.keys(elsewhere)),
  )
  describe(name, () => {
    for (const sentence of selected) {
      it(`${sentence.number} ${sentence.title}`, { timeout: 90_000 }, async () => {
        const outcome = await attempt(sentence, target())
        if (outcome.kind === "pass") return
        if (outcome.kind === "not tested") throw new Error(`not tested: ${outcome.reason}`)
        throw new Error(`${outcome.reason}\n${outcome.exchange}`, { cause: outcome.cause })
      })
    }
  })
}
