/**
 * The revision of the pets: two counters that only grow. As long as `changes` stays the same, every pet is still as it was
 * read. As long as `insertions` also stays the same, a list is complete, because new pets appear only at its end.
 */
export interface PetRevision {
  readonly insertions: number
  readonly changes: number
}
