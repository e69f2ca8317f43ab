/** The suite as a source of exchanges: for tests that check answers by another measure than the sentences. */
import type { RecordedExchange } from "@petstore/harness/http"
import { attempt, type Target } from "./outcome.ts"
import { suite } from "./suite.ts"

/** Tries every sentence, whatever comes of it, and gives every exchange that got an answer. */
export const observeSuite = async (target: Target): Promise<ReadonlyArray<Required<RecordedExchange>>> => {
  const exchanges: Array<Required<RecordedExchange>> = []
  const observe = ({ request, answer }: RecordedExchange) => {
    if (answer !== undefined) exchanges.push({ request, answer })
  }
  for (const sentence of suite) await attempt(sentence, { ...target, observe })
  return exchanges
}
