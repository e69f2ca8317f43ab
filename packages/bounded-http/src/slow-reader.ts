/** Finds clients that do not read their responses in time. */
import type { Socket } from "node:net"

/** How many bytes a client has to read in each `readMillis` after the first: 16 KiB/s for 30 s. */
const readBytes = 30 * 16_384
/** The bytes that can wait in both kernels' buffers, where no program sees them drain: Linux's default maximums (tcp(7)). */
const kernelBytes = 6 * 1_048_576

export class SlowReader {
  /** The number of sent responses when the current one was first seen to be unread. */
  #answers = -1
  #sinceMillis = 0
  /** How many of the bytes before the current response the client has certainly read. */
  #readBytes = 0

  /** Called repeatedly. A response of up to 480 KiB may take `readMillis`, and a longer one as much for each 480 KiB. */
  isTooSlow(
    { writableLength, bytesWritten }: Pick<Socket, "writableLength" | "bytesWritten">,
    answers: number,
    nowMillis: number,
    readMillis: number,
  ): boolean {
    if (writableLength === 0 || answers !== this.#answers) {
      this.#answers = answers
      this.#sinceMillis = nowMillis
      this.#readBytes = Math.max(0, bytesWritten - writableLength - kernelBytes)
      return false
    }
    // A response that is written in parts gets more time with each part.
    return nowMillis - this.#sinceMillis >= readMillis * (1 + (bytesWritten - this.#readBytes) / readBytes)
  }
}
