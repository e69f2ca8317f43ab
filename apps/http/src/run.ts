/** The one door from the world of use cases to the world of promises. */
import type { PetstoreError } from "@petstore/core"
import { Cause, type Effect, Exit, Option, Runtime } from "effect"
import { toHttpError } from "./error-response.js"

/** Runs a use case. Its failure is thrown as an `HttpError`, a defect as it is. A use case with a failure that has no answer does not fit. */
export type Run<R> = <A>(useCase: Effect.Effect<A, PetstoreError, R>) => Promise<A>

export const runWith = <R>(runtime: Runtime.Runtime<R>): Run<R> => {
  const runPromiseExit = Runtime.runPromiseExit(runtime)
  return async (useCase) => {
    const exit = await runPromiseExit(useCase)
    if (Exit.isSuccess(exit)) return exit.value
    throw Option.match(Cause.failureOption(exit.cause), {
      onNone: () => Cause.squash(exit.cause),
      onSome: toHttpError,
    })
  }
}
