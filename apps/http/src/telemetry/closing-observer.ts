/** Methods that change nothing (RFC 9110 §9.2.1). */
export const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

/** Why a connection closed before its last response was sent. */
export type ClosingReason = "client_disconnected" | "slow_reader" | "connection_limit" | "shutdown"

/**
 * Called for every connection that closed before its last response was sent.
 *
 * @param unanswered  methods of the requests that ran but got no response
 */
export type ObserveClosing = (reason: ClosingReason, unanswered: ReadonlyArray<string>) => void
