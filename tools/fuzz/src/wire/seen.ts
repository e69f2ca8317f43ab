/** What came of a conversation. */
import type { Answer } from "@petstore/harness/answer"

/** How a connection ended: the service closed it, reset it, did neither in time, or was not there; or the caller left. */
export type End = "closed" | "reset" | "hangs" | "not connected" | "left"

/** What a caller saw. */
export interface Seen {
  readonly answers: ReadonlyArray<Answer>
  /** Bytes behind the last whole answer. */
  readonly rest: Buffer
  /** Why what came cannot be read as answers. */
  readonly problem: string | undefined
  readonly end: End
}
