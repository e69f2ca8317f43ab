/** The suite as a source of exchanges: for tests that judge answers by another measure than the sentences. */
import type { Exchange } from "@petstore/harness/http"
import { attempt, type Target } from "./outcome.ts"
import type { Feature } from "./sentence.ts"
import { suite } from "./suite.ts"

export { type Exchange, Http } from "@petstore/harness/http"

/** Tries every sentence of these features, whatever comes of it, and gives every exchange that got an answer. */
export const observeSuite = async (
  target: Target,
  features: ReadonlyArray<Feature>,
): Promise<ReadonlyArray<Required<Exchange>>> => {
  const exchanges: Array<Required<Exchange>> = []
  const observe = ({ request, answer }: Exchange) => {
    if (answer !== undefined) exchanges.push({ request, answer })
  }
  for (const sentence of suite) {
    if (sentence.feature === undefined || features.includes(sentence.feature)) await attempt(sentence, { ...target, observe })
  }
  return exchanges
}
