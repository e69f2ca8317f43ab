/** The suite as a source of exchanges: for tests that check answers by another measure than the sentences. */
import type { RecordedExchange } from "@petstore/harness/http"
import { attempt, type Target } from "./outcome.ts"
import type { Feature } from "./sentence.ts"
import { suite } from "./suite.ts"

export { Http, type RecordedExchange } from "@petstore/harness/http"

/** Tries every sentence of these features, whatever comes of it, and gives every exchange that got an answer. */
export const observeSuite = async (
  target: Target,
  features: ReadonlyArray<Feature>,
): Promise<ReadonlyArray<Required<RecordedExchange>>> => {
  const exchanges: Array<Required<RecordedExchange>> = []
  const observe = ({ request, answer }: RecordedExchange) => {
    if (answer !== undefined) exchanges.push({ request, answer })
  }
  for (const sentence of suite) {
    if (sentence.feature === undefined || features.includes(sentence.feature)) await attempt(sentence, { ...target, observe })
  }
  return exchanges
}
