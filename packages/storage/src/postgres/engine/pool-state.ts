/** What a connection pool is doing at one moment. */
export interface PoolState {
  /** Open connections. */
  readonly connections: number
  /** Statements that were sent and have no answer yet. */
  readonly inFlight: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}
