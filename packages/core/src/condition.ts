/** Conditional changes: the comparison and the change are one step. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PreconditionFailed, StorageUnavailable } from "./errors.js"

/** Whether a caller allows a change of the current value. `None`: it does not exist. */
export type Condition<A> = (present: Option.Option<A>) => boolean

/** Allows every change. */
export const always: Condition<unknown> = () => true

/** Fails with `PreconditionFailed` if the current value does not meet the caller's condition. */
export const meet = <A>(condition: Condition<A>, present: Option.Option<A>): Effect.Effect<void, PreconditionFailed> =>
  condition(present) ? Effect.void : new PreconditionFailed()

/** How often a change is tried again while other callers change the same value. */
const attemptsMaximum = 100

/**
 * Finds a value and changes it. `change` returns `None` if the value has changed since; then it is found again, so that each
 * check of `change` holds for the values that it replaces. Every retry means that another caller succeeded. Gives up after many
 * retries.
 */
export const compareAndSet = <A, B, E, R, E2, R2>(
  find: Effect.Effect<A, E, R>,
  change: (found: A) => Effect.Effect<Option.Option<B>, E2, R2>,
): Effect.Effect<B, E | E2 | StorageUnavailable, R | R2> => {
  const attempt = (count: number): Effect.Effect<B, E | E2 | StorageUnavailable, R | R2> =>
    Effect.flatMap(
      Effect.flatMap(find, change),
      Option.match({
        onNone: () => (count < attemptsMaximum ? attempt(count + 1) : new StorageUnavailable(outrun)),
        onSome: Effect.succeed,
      }),
    )
  return attempt(1)
}

const outrun = {
  cause: new Error(`It had changed at each of ${attemptsMaximum} attempts`),
  reason: "It changed each time before the request could change it. Try again.",
}
