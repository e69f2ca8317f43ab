/** For load balancers and orchestrators, without a key: `/healthz` says that the process runs, `/readyz` that it should get requests. */
import { Readiness } from "@petstore/core"
import { makeErrorObject } from "@petstore/core/contract"
import { Effect } from "effect"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { answerJson } from "../response/answer.js"

export const health = (): Handler => (exchange) => answerJson(exchange, 200, '{"status":"ok"}')

export const readiness =
  ({ run, isStopping }: Parts): Handler =>
  async (exchange) => {
    if (isStopping()) {
      // Not a failure of the service: nothing for the log.
      const object = makeErrorObject("service_stopping", "This process is stopping. Ask another one.")
      answerJson(exchange, object.status, JSON.stringify(object), ["Retry-After", "1"])
      return
    }
    await run(Effect.flatMap(Readiness, ({ check }) => check))
    answerJson(exchange, 200, '{"status":"ready"}')
  }
