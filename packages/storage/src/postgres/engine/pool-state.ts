/** The state of a connection pool. */
export interface PoolState {
  /** Open connections. */
  readonly connections: number
  /** Statements that were sent and are pending. */
  readonly inFlight: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}
