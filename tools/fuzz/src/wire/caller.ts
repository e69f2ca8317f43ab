import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { messageOf } from "@petstore/harness/error-text"
import { firstResponse, type WireResponse } from "@petstore/harness/response"
import type { End, Script, Seen } from "./oracle.ts"
import type { Conversation } from "./scenario.ts"

/** The conversation's bytes, split into the pieces that are sent, with the pause before each piece. */
const piecesOf = ({ cuts }: Conversation, bytes: Buffer) => {
  const sorted = cuts.toSorted((one, other) => one.at - other.at)
  const ends = [...sorted.map(({ at }) => Math.floor(at * bytes.length)), bytes.length]
  return [{ pauseMillis: 0 }, ...sorted].map(({ pauseMillis }, index) => ({
    piece: bytes.subarray(ends[index - 1] ?? 0, ends[index]),
    pauseMillis,
  }))
}

/** Connects. Returns `undefined` if the port is closed or the connection is reset immediately. */
const open = async (address: URL): Promise<Socket | undefined> => {
  const socket = connect({ host: address.hostname, port: Number(address.port), allowHalfOpen: true, noDelay: true })
  try {
    await once(
      socket.on("error", () => {}),
      "connect",
    )
    return socket
  } catch {
    return undefined
  }
}

/** `READ_MS`: how long the service waits for a client that does not read. This time exceeds any delay on a busy machine. */
export const readMillis = 3_000

/** How long a stalled client does not read, in ms. The service checks for such clients once a second. */
const stallMillis = readMillis + 2_500

/** Plays a conversation and records its outcome. After `timeoutMillis`, more than any service needs, the outcome is "hangs". */
export const play = async (address: URL, conversation: Conversation, script: Script, timeoutMillis: number): Promise<Seen> => {
  await sleep(conversation.opensAfterMillis)
  const responses: Array<WireResponse> = []
  let rest: Buffer = Buffer.alloc(0)
  let problem: string | undefined
  const seen = (end: End): Seen => ({ responses, rest, problem, end })
  const parse = (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const found = firstResponse(rest, (head) => script.methodOf(responses.length, head), false)
      if (found === undefined) return
      responses.push(found.response)
      rest = rest.subarray(found.length)
    }
  }
  const socket = await open(address)
  if (socket === undefined) return seen("not connected")

  const { promise: ended, resolve: end } = Promise.withResolvers<End>()
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const isLastRead = () => responses.some(({ isLast }) => isLast)
  let isReset = false
  socket.on("error", () => {
    isReset = true
  })
  socket.on("end", () => socket.end())
  socket.on("close", () => end(isReset ? "reset" : "closed"))
  const { ending, readingPauseMillis } = conversation
  const readsAfterMillis = ending.kind === "stall" ? stallMillis : conversation.readsAfterMillis
  socket.on("data", (bytes: Buffer) => {
    try {
      if (problem === undefined) parse(bytes)
    } catch (cause) {
      problem = messageOf(cause)
    }
    if (responses.length >= script.due || isLastRead()) answer()
    if (readingPauseMillis === 0) return
    socket.pause()
    setTimeout(() => socket.resume(), readingPauseMillis)
  })
  if (readsAfterMillis > 0) {
    socket.pause()
    setTimeout(() => socket.resume(), readsAfterMillis)
  }

  const leave = (): Seen => {
    // Drops the bytes in flight.
    socket.removeAllListeners("data")
    // The system does not reset a connection that is already being closed, and Node would never release the socket.
    if (ending.kind === "reset" && !socket.writableEnded) socket.resetAndDestroy()
    else socket.destroy()
    return seen("left")
  }
  const timer = setTimeout(() => end("hangs"), timeoutMillis)
  try {
    for (const { piece, pauseMillis } of piecesOf(conversation, script.bytes)) {
      if (pauseMillis > 0) await sleep(pauseMillis)
      if (!socket.writable) break
      socket.write(piece)
    }
    if (ending.kind === "close" || ending.kind === "reset") {
      await sleep(ending.afterMillis)
      return leave()
    }
    if (ending.kind === "when answered") {
      if (script.due > 0) await Promise.race([answered, ended])
      // If a response announced that the connection will close, the service closes it.
      if (!script.endsItself && !isLastRead()) socket.end()
    } else socket.end()
    return seen(await ended)
  } finally {
    clearTimeout(timer)
    socket.destroy()
    // The program may finish after the last conversation, and a socket that is still closing would keep the process alive.
    await closed
  }
}
