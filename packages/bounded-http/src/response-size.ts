/** How fast the estimate falls after a long response: each shorter response closes this share of the gap. */
const forgetting = 1 / 16

/** The expected length of responses of one kind: the length of the longest recent one. */
export class ResponseSize {
  bytes = 0

  learn(bytes: number): void {
    this.bytes = bytes > this.bytes ? bytes : this.bytes + (bytes - this.bytes) * forgetting
  }
}
