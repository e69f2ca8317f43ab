/** The failures that clients must tolerate during a fault. */
export interface Tolerated {
  /** Connections may be refused and may break. */
  readonly mayBreak: boolean
  /** 503 `storage_unavailable` is allowed. */
  readonly mayRefuse: boolean
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
