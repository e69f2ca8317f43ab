/**
 * The revision of the pets: two counters that only grow. While `changes` stays the same, a pet is as it was read. While
 * `insertions` stays too, a list is complete, because new pets appear only at its end.
 */
export interface PetRevision {
  readonly insertions: number
  readonly changes: number
}
