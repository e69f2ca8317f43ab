/** How fast the estimate falls after a long response: each shorter response closes this share of the gap. */
const forgetting = 1 / 16

/** The expected length of responses of one kind: the length of the longest recent one. */
export class ResponseSize {
  bytes = 0

  learn(bytes: number): void {
    // In whole bytes, because fractions that are added and subtracted in another order leave a rest in the budget.
    this.bytes = bytes > this.bytes ? bytes : this.bytes + Math.floor((bytes - this.bytes) * forgetting)
  }
}
