/** The state of a connection pool. */
export interface PoolState {
  /** Number of open connections. */
  readonly connections: number
  /** Number of statements that were sent and are pending. */
  readonly inFlight: number
  /** Number of statements that wait for a connection. */
  readonly waiting: number
}
