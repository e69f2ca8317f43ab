/** Parses the bytes of one connection into responses. */
import { messageOf } from "@petstore/harness/error-text"
import { firstResponse, type Head, type WireResponse } from "@petstore/harness/response"

export class AnswerReader {
  readonly #methodOf: (index: number, head: Head) => string
  readonly responses: Array<WireResponse> = []
  /** Bytes of an incomplete response. */
  rest: Buffer = Buffer.alloc(0)
  /** Why the bytes are not valid responses. */
  problem: string | undefined

  /** `methodOf` returns the method of the request that a response belongs to, because a response to HEAD has no body. */
  constructor(methodOf: (index: number, head: Head) => string) {
    this.#methodOf = methodOf
  }

  push(bytes: Buffer): void {
    if (this.problem !== undefined) return
    this.rest = Buffer.concat([this.rest, bytes])
    try {
      for (;;) {
        const found = firstResponse(this.rest, (head) => this.#methodOf(this.responses.length, head), false)
        if (found === undefined) return
        this.responses.push(found.response)
        this.rest = this.rest.subarray(found.length)
      }
    } catch (cause) {
      this.problem = messageOf(cause)
    }
  }
}
