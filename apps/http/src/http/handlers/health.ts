/** For load balancers and orchestrators, without a key: `/healthz` says that the process runs, `/readyz` that it should get requests. */
import { errorObject, Readiness } from "@petstore/core"
import { Effect } from "effect"
import type { Exchange } from "../exchange.js"
import { answerJson } from "../response/answer.js"
import type { Run } from "../run.js"

export const health = (exchange: Exchange): void => answerJson(exchange, 200, '{"status":"ok"}')

export const readiness =
  (run: Run<Readiness>, isStopping: () => boolean) =>
  async (exchange: Exchange): Promise<void> => {
    if (isStopping()) {
      const object = errorObject("storage_unavailable", "This process is stopping. Ask another one.")
      answerJson(exchange, object.status, JSON.stringify(object))
      return
    }
    await run(Effect.flatMap(Readiness, ({ check }) => check))
    answerJson(exchange, 200, '{"status":"ready"}')
  }
