/** From use cases to promises: the only place where the service runs an Effect for a request. */
import type { RequestFailure } from "@petstore/core/contract"
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
 * Runs a use case. Its failure is thrown as an `HttpError`, a defect as it is. A
 * use case with a failure that has no response does not fit. One that need not wait
 * for anything, such as a read of SQLite, is answered at once and not by a promise.
 */
export type Run<R> = <A>(useCase: Effect.Effect<A, RequestFailure, R>) => A | Promise<A>

/** Goes on with a fiber that waited. Effect's own scheduler makes a runner for every fiber, to be fair to the others; no use case computes for long. */
const scheduler = Scheduler.make((task) => queueMicrotask(task))

const outcome = <A>(exit: Exit.Exit<A, RequestFailure>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Option.match(Cause.failureOption(exit.cause), { onNone: () => Cause.squash(exit.cause), onSome: toHttpError })
}

/** What a fiber does beside its work. There are no metrics of fibers here, and no use case computes so long that it has to give way to others. */
const runtimeFlags = RuntimeFlags.make(RuntimeFlags.Interruption)

/** What {@link runWith} sets for each fiber. */
const ours = new Set<unknown>([FiberRef.currentContext, FiberRef.currentScheduler, FiberRef.currentRuntimeFlags])

/** What a runtime was given beside its services, such as a logger. Each fiber copies them, so those that have their default are left out. */
const changedIn = (all: FiberRefs.FiberRefs): FiberRefs.FiberRefs =>
  HashSet.reduce(FiberRefs.fiberRefs(all), FiberRefs.empty(), (changed, fiberRef) => {
    const value = FiberRefs.getOrDefault(all, fiberRef)
    const isSet = !ours.has(fiberRef) && !Equal.equals(value, FiberRefs.getOrDefault(FiberRefs.empty(), fiberRef))
    return isSet ? FiberRefs.updateAs(changed, { fiberId: FiberId.none, fiberRef, value }) : changed
  })

export const runWith = <R>({ context, fiberRefs }: Runtime.Runtime<R>): Run<R> => {
  const runFork = Runtime.runFork(Runtime.make({ context, runtimeFlags, fiberRefs: changedIn(fiberRefs) }))
  return <A>(useCase: Effect.Effect<A, RequestFailure, R>) => {
    // A fiber runs until it has to wait for the first time.
    const fiber = runFork(useCase, { scheduler })
    const exit = fiber.unsafePoll()
    return exit !== null
      ? outcome(exit)
      : new Promise<A>((resolve, reject) => {
          fiber.addObserver((late) => {
            try {
              resolve(outcome(late))
            } catch (thrown) {
              reject(thrown)
            }
          })
        })
  }
}

/** Goes on with what {@link Run} gave: at once where it is there. */
export const andThen = <A, B>(value: A | Promise<A>, use: (value: A) => B): B | Promise<B> =>
  value instanceof Promise ? value.then(use) : use(value)
