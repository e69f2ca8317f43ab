import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PreconditionFailed, StorageUnavailable } from "./errors.js"

/** Whether the caller allows the current value to be changed. `None` means that there is no current value. */
export type Condition<A> = (present: Option.Option<A>) => boolean

export const always: Condition<unknown> = () => true

/** Fails if the current value does not meet the condition. */
export const meet = <A>(condition: Condition<A>, present: Option.Option<A>): Effect.Effect<void, PreconditionFailed> =>
  condition(present) ? Effect.void : new PreconditionFailed()

const attemptsMaximum = 100

/**
 * Finds a value and changes it. If the value has changed since it was found, `change` returns `None`, and the value is found
 * again. The checks in `change` therefore apply to the value that is replaced. Every retry means that another caller succeeded.
 * Fails with `StorageUnavailable` after 100 attempts.
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

const outrun: ConstructorParameters<typeof StorageUnavailable>[0] = {
  cause: new Error(`Another change preceded each of ${attemptsMaximum} attempts to change the value`),
  reason: "Other requests kept changing the resource first. Try again.",
  isUndone: true,
}
