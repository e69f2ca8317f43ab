/** Observes why connections close. */

/** Why a connection closed before its last response. */
export type ClosingReason = "client_disconnected" | "slow_reader" | "connection_limit" | "shutdown"

/**
 * Called for every connection that closed before its last response.
 *
 * @param unanswered methods of the requests that ran but whose responses were not sent
 */
export type ObserveClosing = (reason: ClosingReason, unanswered: ReadonlyArray<string>) => void
