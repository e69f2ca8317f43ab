/** The part of an `AbortSignal` that calls use. */
export interface CallSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  readonly addEventListener: (type: "abort", listener: () => void) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}
