/** What watches connections, and what it sees when one closes. */

/** Why a connection closed otherwise than after the response that said so. */
export type ClosingReason = "client_disconnected" | "slow_reader" | "connection_limit" | "shutdown"

/**
 * Called for every connection that was closed otherwise than after its last response.
 *
 * @param unanswered  methods of the requests that ran and whose answer did not leave
 */
export type ObserveClosing = (reason: ClosingReason, unanswered: ReadonlyArray<string>) => void
