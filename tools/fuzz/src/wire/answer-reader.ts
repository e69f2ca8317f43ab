/** Reads the answers of one connection from the bytes as they come. */
import { Answer, framing, type Head, readHead } from "@petstore/harness/answer"

const headEnd = Buffer.from("\r\n\r\n")

export class AnswerReader {
  readonly #methodOf: (index: number, head: Head) => string
  readonly answers: Array<Answer> = []
  /** What came and is no whole answer yet. */
  rest: Buffer = Buffer.alloc(0)
  /** Why what came cannot be read as answers. */
  problem: string | undefined
  #interim: Array<number> = []
  #head: Head | undefined
  #missingBytes = 0

  /** `methodOf` gives the method of the request that an answer belongs to: HEAD is answered without a body. */
  constructor(methodOf: (index: number, head: Head) => string) {
    this.#methodOf = methodOf
  }

  push(bytes: Buffer): void {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
    try {
      while (this.problem === undefined && this.#readOne());
    } catch (cause) {
      this.problem = cause instanceof Error ? cause.message : String(cause)
    }
  }

  /** Whether a whole answer, or the head of one, was there. */
  #readOne(): boolean {
    if (this.#head === undefined) {
      const end = this.rest.indexOf(headEnd)
      if (end < 0) return false
      const head = readHead(this.#take(end).toString("latin1"))
      this.#take(headEnd.length)
      if (head.status < 200) {
        this.#interim.push(head.status)
        return true
      }
      const how = framing(head, this.#methodOf(this.answers.length, head))
      if (how.kind !== "length") throw new Error(`an answer ${head.status} without a length`)
      this.#head = head
      this.#missingBytes = how.bytes
    }
    if (this.rest.length < this.#missingBytes) return false
    this.answers.push(new Answer(this.#head, this.#interim, this.#take(this.#missingBytes)))
    this.#interim = []
    this.#head = undefined
    return true
  }

  #take(bytes: number): Buffer {
    const taken = this.rest.subarray(0, bytes)
    this.rest = this.rest.subarray(bytes)
    return taken
  }

  /** Whether an answer has begun and not ended. */
  get isInside(): boolean {
    return this.#head !== undefined || this.#interim.length > 0 || this.rest.length > 0
  }
}
