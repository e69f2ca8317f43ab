/** How a store is distributed. */
export interface Distribution {
  /** Workers that may have rows. */
  readonly workers: number
  /** Parts of each large table. */
  readonly shards: number
}
