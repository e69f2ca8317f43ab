/** Turns use cases into promises. This is the only place where the service runs an Effect for a request. */
import { StorageUnavailable } from "@petstore/core"
import type { RequestFailure } from "@petstore/core/contract"
import { Awaited, withoutSpan } from "@petstore/core/internal"
import {
  Cause,
  type Effect,
  Equal,
  Exit,
  FiberId,
  FiberRef,
  FiberRefs,
  HashSet,
  Option,
  Runtime,
  RuntimeFlags,
  Scheduler,
} from "effect"
import { toHttpError } from "./error-response.js"

/**
 * Runs a use case. Throws a failure as an `HttpError`, and a defect unchanged. A use case with a failure that has no response
 * does not compile. A use case that does not wait, such as a SQLite read, returns its value instead of a promise. `mayBeDone` says
 * what a client should know and do if the database became unavailable during a write.
 */
export type Run<R> = <A>(useCase: Effect.Effect<A, RequestFailure, R>, mayBeDone?: string) => A | Promise<A>

/** Resumes a fiber. Effect's own scheduler creates a runner for every fiber, for fairness, but no use case computes for long. */
const scheduler = Scheduler.make((task) => queueMicrotask(task))

/** Adds to a failed write's message whether the write may have happened. */
const told = (failure: RequestFailure, mayBeDone: string | undefined): RequestFailure => {
  if (mayBeDone === undefined || failure._tag !== "StorageUnavailable") return failure
  const { cause, reason, isUndone } = failure
  const undone = reason === undefined ? "Nothing was stored. Try again." : "Nothing was stored."
  return new StorageUnavailable({ cause, reason: `${reason ?? "The database is unavailable."} ${isUndone ? undone : mayBeDone}` })
}

const outcome = <A>(exit: Exit.Exit<A, RequestFailure>, mayBeDone: string | undefined): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Option.match(Cause.failureOption(exit.cause), {
    onNone: () => Cause.squash(exit.cause),
    onSome: (failure) => toHttpError(told(failure, mayBeDone)),
  })
}

/** A fiber's runtime flags: no fiber metrics, and no yielding, because no use case computes for long. */
const runtimeFlags = RuntimeFlags.make(RuntimeFlags.Interruption)

/** Settings that {@link runWith} provides for each fiber. */
const ours = new Set<unknown>([FiberRef.currentContext, FiberRef.currentScheduler, FiberRef.currentRuntimeFlags])

/** A runtime's settings other than its services, such as a logger. Each fiber copies them, so defaults are left out. */
const changedIn = (all: FiberRefs.FiberRefs): FiberRefs.FiberRefs =>
  HashSet.reduce(FiberRefs.fiberRefs(all), FiberRefs.empty(), (changed, fiberRef) => {
    const value = FiberRefs.getOrDefault(all, fiberRef)
    const isSet = !ours.has(fiberRef) && !Equal.equals(value, FiberRefs.getOrDefault(FiberRefs.empty(), fiberRef))
    return isSet ? FiberRefs.updateAs(changed, { fiberId: FiberId.none, fiberRef, value }) : changed
  })

export const runWith = <R>({ context, fiberRefs }: Runtime.Runtime<R>): Run<R> => {
  const runFork = Runtime.runFork(Runtime.make({ context, runtimeFlags, fiberRefs: changedIn(fiberRefs) }))
  return <A>(useCase: Effect.Effect<A, RequestFailure, R>, mayBeDone?: string) => {
    /** Waits for an exit, and passes it on. */
    const settled = (register: (done: (exit: Exit.Exit<A, RequestFailure>) => void) => void): Promise<A> =>
      new Promise((resolve, reject) => {
        register((late) => {
          try {
            resolve(outcome(late, mayBeDone))
          } catch (thrown) {
            reject(thrown)
          }
        })
      })

    // The service's spans are those of `traces.ts`.
    const effect = withoutSpan(useCase, context)
    // Safe: the result of an effect that has already ended has the types of the effect.
    if (Exit.isExit(effect)) return outcome(effect as Exit.Exit<A, RequestFailure>, mayBeDone)
    // A write of SQLite only waits for its commit. A fiber for that would take as long as parsing the body.
    if (effect instanceof Awaited) return settled(effect.register)
    // The fiber starts at once, and runs until it first has to wait.
    const fiber = runFork(effect, { scheduler })
    const exit = fiber.unsafePoll()
    return exit !== null ? outcome(exit, mayBeDone) : settled((done) => fiber.addObserver(done))
  }
}

/** Passes on the result of {@link Run}: at once if the result is not a promise. */
export const andThen = <A, B>(value: A | Promise<A>, use: (value: A) => B): B | Promise<B> =>
  value instanceof Promise ? value.then(use) : use(value)
