import type { Socket } from "node:net"
import { PassThrough } from "node:stream"
import { serialize } from "node:v8"
import { expect, it, onTestFinished, vi } from "vitest"
import { onFrame } from "../../../src/sqlite/engine/frames.js"

it("without memory for a frame, its socket closes, and the process continues", () => {
  // Safe: `onFrame` only reads, and destroys the socket.
  const socket = new PassThrough() as unknown as Socket
  const heard: Array<unknown> = []
  onFrame(socket, (value) => heard.push(value))
  const body = serialize("a value")
  const head = Buffer.alloc(4)
  head.writeUInt32LE(body.length)
  socket.emit("data", head)
  vi.spyOn(Buffer, "concat").mockImplementation(() => {
    throw new RangeError("Array buffer allocation failed")
  })
  onTestFinished(() => void vi.restoreAllMocks())
  socket.emit("data", body)
  expect([heard, socket.destroyed]).toEqual([[], true])
})
