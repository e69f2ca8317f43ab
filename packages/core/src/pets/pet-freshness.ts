import * as Context from "effect/Context"
import type * as Option from "effect/Option"

/**
 * The revision of the pets: two counters that only increase. As long as `changes` stays the same, every pet is still as it was
 * read. As long as `insertions` also stays the same, a list is complete, because new pets appear only at its end.
 */
export interface PetRevision {
  readonly insertions: number
  readonly changes: number
}

/**
 * An optional port, which tells a service whether its cached pages are current: look it up with `Effect.serviceOption`.
 * An adapter provides it if a revision costs less than reading pets, and if new pets appear only at the end of a list.
 */
export class PetFreshness extends Context.Tag("@petstore/core/PetFreshness")<
  PetFreshness,
  {
    /**
     * Returns the revision that a read would now see, or a later one. It includes every commit before the call, including those
     * by other processes. A result that was read after a revision is therefore current while the revision stays the same.
     * The call is synchronous and cheap. It returns `None` if the database is unavailable.
     */
    readonly revision: () => Option.Option<PetRevision>

    /**
     * Runs synchronous work whose reads may share one snapshot that is not older than the call. It throws only errors that
     * `work` throws. If shared reads cost as much as single reads, it only calls `work`.
     */
    readonly together: (work: () => void) => void
  }
>() {}
