/** The rate limit of an API key across several processes: the primary counts the requests, and workers query the primary. */
import type { ChildProcess } from "node:child_process"
import { RateLimiterRes } from "rate-limiter-flexible"
import { consume, type RateLimiter, rateLimiterHere } from "../http/steps/rate-limit.js"
import { type PrimaryMessage, primaryMessage, type WorkerMessage, workerMessage } from "./messages.js"

export const countFor = (worker: ChildProcess, limiter: RateLimiter): void => {
  worker.on("message", async (value) => {
    const question = workerMessage(value)
    if (question?.petstore !== "count") return
    const { isAllowed, state } = await consume(limiter, question.keyId)
    const message: PrimaryMessage = { petstore: "counted", question: question.question, isAllowed, state: state.toJSON() }
    worker.send(message, () => {})
  })
}

/** Queries the primary. If the primary has exited, this process counts the few requests that are still in flight. */
export const rateLimiterOfPrimary = (points: number): RateLimiter => {
  const here = rateLimiterHere(points)
  const open = new Map<number, { readonly keyId: string; readonly settle: (state: Promise<RateLimiterRes>) => void }>()
  let questions = 0

  process.on("message", (value) => {
    const response = primaryMessage(value)
    if (response?.petstore !== "counted") return
    const { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration } = response.state
    const state = new RateLimiterRes(remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration)
    open.get(response.question)?.settle(response.isAllowed ? Promise.resolve(state) : Promise.reject(state))
    open.delete(response.question)
  })
  process.once("disconnect", () => {
    for (const { keyId, settle } of open.values()) settle(here.consume(keyId))
    open.clear()
  })

  return {
    points,
    consume: (key) => {
      const keyId = String(key)
      if (!process.connected) return here.consume(keyId)
      return new Promise((settle) => {
        const question = ++questions
        open.set(question, { keyId, settle })
        const message: WorkerMessage = { petstore: "count", question, keyId }
        // Ignores a failure to send: if the channel closes first, the `disconnect` listener settles the promise.
        process.send?.(message, undefined, undefined, () => {})
      })
    },
  }
}
