/** Joins a body's short chunks: a separate one-byte chunk takes 400 times its size, and 100 times as long as a joined one. */
import { type BoundedRequest, keepMembers, pushHere } from "./node.js"

/** Chunks shorter than this, in bytes, are joined. */
const shortBytes = 1_024
const blockBytes = 4_096

export const joinChunks = (request: BoundedRequest): void => {
  // Otherwise, the body's end could come before its last chunks.
  keepMembers(request)
  let block: Buffer | undefined
  let usedBytes = 0

  const flush = (): boolean => {
    const bytes = block?.subarray(0, usedBytes)
    block = undefined
    return bytes === undefined || request.destroyed || pushHere(request, bytes)
  }

  request.bodyTo = (chunk) => {
    if (chunk === null || chunk.length >= shortBytes) {
      flush()
      return pushHere(request, chunk)
    }
    const isFull = block !== undefined && usedBytes + chunk.length > blockBytes
    const acceptsMore = !isFull || flush()
    if (block === undefined) {
      block = Buffer.allocUnsafe(blockBytes)
      usedBytes = 0
      setImmediate(flush)
    }
    usedBytes += chunk.copy(block, usedBytes)
    return acceptsMore
  }
}
