/** Bounds what connections begin in a tick of the event loop beyond one request each, so that those of others do not wait for long. */

/** In requests. */
const workATick = 256

export class Tick {
  #left = workATick

  /** Whether work that costs as much as so many requests may begin now. */
  take(requests: number): boolean {
    if (this.#left <= 0) return false
    if (this.#left === workATick) {
      setImmediate(() => {
        this.#left = workATick
      })
    }
    this.#left -= requests
    return true
  }
}
