/** Uses the suite as a source of exchanges, for tests that check responses in other ways. */
import type { RecordedExchange } from "@petstore/harness/http"
import { attempt, type Target } from "./outcome.ts"
import { suite } from "./suite.ts"

/** Tests every sentence, ignores the outcomes, and returns every exchange that has a response. */
export const observeSuite = async (target: Target): Promise<ReadonlyArray<Required<RecordedExchange>>> => {
  const exchanges: Array<Required<RecordedExchange>> = []
  for (const sentence of suite) await attempt(sentence, { ...target, observe: (exchange) => exchanges.push(exchange) })
  return exchanges
}
