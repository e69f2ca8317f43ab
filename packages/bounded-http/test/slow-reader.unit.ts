/** Tests how long a client may take to read. The limit of a second is `readMillis` for 480 KiB. */
import { expect, it } from "vitest"
import { SlowReader } from "../src/slow-reader.js"

const partBytes = 491_520

/** The second in which a client is disconnected from whose response `heldBytes` are unread here, and which has read the given bytes. */
const cutAfter = (heldBytes: number, takenBytes: (second: number) => number): number => {
  const reader = new SlowReader()
  for (let second = 0; second < 1_000; second += 1) {
    const bytesWritten = heldBytes + takenBytes(second)
    if (reader.isTooSlow({ writableLength: heldBytes, bytesWritten }, 0, second * 1_000, 1_000)) return second
  }
  return Number.POSITIVE_INFINITY
}

it.for([
  ["of a response of 480 KiB that it does not read", partBytes, () => 0, 2],
  ["of ten times as much", 10 * partBytes, () => 0, 11],
  ["behind 6 MiB or more, which the kernel may hold", partBytes, () => 100 * partBytes, 15],
  ["of a response in parts at the required speed", partBytes, (second: number) => second * partBytes, Number.POSITIVE_INFINITY],
  ["of a response in parts at half that speed", partBytes, (second: number) => (second * partBytes) / 2, 4],
] as const)("a client is disconnected in time %s", ([, held, taken, seconds]) => expect(cutAfter(held, taken)).toBe(seconds))
