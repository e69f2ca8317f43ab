/** Health checks, without a key: `/healthz` reports that the process is running, and `/readyz` that it is ready for requests. */
import { Readiness } from "@petstore/core"
import { Effect } from "effect"
import { HttpError, httpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { sendJson } from "../response/send.js"

/** The bodies of the 200 responses. */
export const healthy = '{"status":"ok"}'
export const ready = '{"status":"ready"}'

export const health = (): Handler => (exchange) => sendJson(exchange, 200, healthy)

/** Why the process should get no requests, or `undefined` if it is ready for them. */
export const findUnreadiness = async ({ run, isStopping }: Pick<Parts, "run" | "isStopping">): Promise<HttpError | undefined> => {
  if (isStopping()) return httpError("service_stopping", "This process is stopping. Ask another one.", ["Retry-After", "1"])
  try {
    await run(Effect.flatMap(Readiness, ({ check }) => check))
    return undefined
  } catch (thrown) {
    if (thrown instanceof HttpError) return thrown
    throw thrown
  }
}

export const readiness =
  (parts: Parts): Handler =>
  async (exchange) => {
    const failure = await findUnreadiness(parts)
    if (failure === undefined) sendJson(exchange, 200, ready)
    else if (failure.object.code !== "service_stopping") throw failure
    // This failure is expected during a shutdown, so it is not logged.
    else sendJson(exchange, failure.object.status, JSON.stringify(failure.object), failure.headers)
  }
