/**
 * How far the pets have come: two counters that only grow. As long as `changes`
 * stays, a pet that was read is still there as it was; as long as `insertions` stays too, so is a
 * list, whose end is the only place where new pets appear.
 */
export interface PetRevision {
  readonly insertions: number
  readonly changes: number
}
