/** Sends values that `structuredClone` accepts over a byte stream. A frame is a four-byte length and a value serialized by V8. */
import type { Socket } from "node:net"
import { deserialize, serialize } from "node:v8"

const headBytes = 4

export const sendFrame = (socket: Socket, value: unknown): void => {
  const body = serialize(value)
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(body.length)
  socket.cork()
  socket.write(head)
  socket.write(body)
  socket.uncork()
}

/** The maximum size of a value, in bytes: enough for more than twenty thousand writes of pets with the longest names. */
const frameMaximum = 256 * 1024 * 1024

/** Calls `hear` for every value. Closes the socket on malformed bytes, and on a value for which there is not enough memory. */
export const onFrame = (socket: Socket, hear: (value: unknown) => void): void => {
  let pending: Buffer = Buffer.alloc(0)
  socket.on("data", (bytes: Buffer) => {
    try {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
      while (pending.length >= headBytes) {
        const length = pending.readUInt32LE()
        if (length > frameMaximum) throw new RangeError(`A frame of ${length} bytes is too long`)
        const end = headBytes + length
        if (pending.length < end) return
        const body = pending.subarray(headBytes, end)
        pending = pending.subarray(end)
        hear(deserialize(body))
      }
    } catch {
      socket.destroy()
    }
  })
}
