/** What callers must put up with while a fault lasts. */
export interface Tolerated {
  /** Connections may be refused and may break. */
  readonly mayBreak: boolean
  /** 503 `storage_unavailable` is an answer. */
  readonly mayRefuse: boolean
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
