/** The failures that clients must tolerate during a fault. */
export interface Tolerated {
  /** Whether the service may refuse connections and break them. */
  readonly mayBreak: boolean
  /** Whether the service may respond with 503 `storage_unavailable`. */
  readonly mayRefuse: boolean
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
