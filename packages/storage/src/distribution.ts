/** How a store is distributed. In a file of its own, so that the types of `/promise` load nothing of Effect. */
export interface Distribution {
  /** Number of workers that can store rows. */
  readonly workers: number
  /** Number of shards per large table. */
  readonly shards: number
}

/** Options for distributing a store. */
export interface DistributeOptions {
  /** The number of shards per large table. */
  readonly shards: number
  /** As in `PostgresOptions`. */
  readonly onPlainText?: ((host: string) => void) | undefined
}
