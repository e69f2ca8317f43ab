/** What a walk through pets, orders or both is worth. */

export interface Findings {
  /** What was acknowledged so far. */
  readonly acknowledged: number
  /** How many of them are there, once and unaltered. */
  readonly found: number
  readonly lost: number
  /** Ids, names or orders of a pet that are there too often, and ids that were given twice. */
  readonly doubled: number
  readonly altered: number
}
