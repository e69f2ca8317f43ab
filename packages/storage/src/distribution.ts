/** How a store is distributed. */
export interface Distribution {
  /** Number of workers that can store rows. */
  readonly workers: number
  /** Number of shards per large table. */
  readonly shards: number
}
