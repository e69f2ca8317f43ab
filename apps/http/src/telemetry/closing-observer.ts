/** What watches connections, and what it sees when one closes. */

/** Why a connection closed otherwise than after the answer that said so. */
export type ClosingReason = "client_disconnected" | "slow_reader" | "shutdown"

/**
 * Hears of every connection that was closed otherwise than after its last answer.
 *
 * @param unanswered  methods of the requests that ran and whose answer did not leave
 */
export type ObserveClosing = (reason: ClosingReason | "connection_limit", unanswered: ReadonlyArray<string>) => void
