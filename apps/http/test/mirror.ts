/** Forwards a client's bytes to two services, and compares their responses. The client gets the first service's responses. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A connection on which two services responded differently. */
export interface Difference {
  readonly sent: string
  readonly first: string
  readonly second: string
}

export interface Mirror {
  readonly port: number
  readonly compared: () => number
  readonly differences: ReadonlyArray<Difference>
  readonly close: () => Promise<void>
}

/** Masks everything that may differ: dates and timestamps, rate limits, and generated identifiers. */
const comparable = (response: string): string =>
  response
    .replace(/^Date: .*$/gim, "Date: *")
    .replace(/^(X-Request-Id: )[0-9a-f]{16}-[0-9]+\r$/gim, "$1*\r")
    .replace(/^(Retry-After|RateLimit): .*$/gim, "$1: *")
    .replace(/("requestId":")[0-9a-f]{16}-[0-9]+"/g, '$1*"')
    .replace(varying, "*")

/** Timestamps, the identifiers of accounts, keys and changes (the only ones that are text), and the cursors of changes. */
const varying = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|(?<="id":")[^"]+|[\w-]{6}changes_[\w-]+/g

const entityTag = /^ETag: "(.*)"\r$/gim
const cursor = /[\w-]{6}changes_[\w-]+/g
const contentLength = /^Content-Length: .*$/gim

/** The maximum time, in ms, between the two services' responses. Even a busy machine needs less. */
const timeoutMillis = 30_000

/** Whether the bytes are a complete request, which gets a response. False for a transfer coding or `Expect`. */
const isWhole = (bytes: string): boolean => {
  const [head = "", ...body] = bytes.split("\r\n\r\n")
  const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0)
  if (body.length === 0 || /^(?:transfer-encoding|expect):/im.test(head)) return false
  return body.join("\r\n\r\n").length >= length
}

/** `translate` converts bytes for the first service into bytes for the second, which has different keys. */
export const openMirror = async (firstPort: number, secondPort: number, translate: (sent: string) => string): Promise<Mirror> => {
  const differences: Array<Difference> = []
  const running = new Set<Promise<void>>()
  /** Maps the first service's entity tags and cursors to the second service's. They differ if the text varies. */
  const ofSecond = new Map<string, string>()
  let compared = 0

  /** Serializes requests, so that both services get them in the same order and accept the same ones. */
  let turn = Promise.resolve()

  const withTags = (text: string): string =>
    text
      .replace(/"([^"\r\n]*?)(-gzip|-br)?"/g, (quoted, tag: string, suffix = "") =>
        ofSecond.has(tag) ? `"${ofSecond.get(tag)}${suffix}"` : quoted,
      )
      .replace(cursor, (one) => ofSecond.get(one) ?? one)
  const ended = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()))
  const collect = (socket: Socket): (() => string) => {
    const chunks: Array<Buffer> = []
    socket.on("data", (bytes: Buffer) => chunks.push(bytes))
    socket.on("error", () => {}) // The socket also emits `close`.
    return () => Buffer.concat(chunks).toString("latin1")
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const options = { host: "127.0.0.1", allowHalfOpen: true, noDelay: true }
    const [first, second] = [connect({ port: firstPort, ...options }), connect({ port: secondPort, ...options })]
    const sent = collect(caller)
    const [fromFirst, fromSecond] = [collect(first), collect(second)]
    const isSame = (): boolean => {
      const [one, other] = [fromFirst(), fromSecond()]
      if (comparable(withTags(one)) === comparable(other)) return true
      const untagged = (response: string): string => comparable(response).replace(entityTag, "").replace(contentLength, "")
      if (one.search(varying) < 0 || untagged(one) !== untagged(other)) return false
      const [ours, others] = [one, other].map((response) =>
        [entityTag, cursor].flatMap((sent) => [...response.matchAll(sent)].map(([whole, tag = whole]) => tag)),
      )
      for (const [index, tag] of (ours ?? []).entries()) ofSecond.set(tag, others?.[index] ?? "")
      return true
    }

    // The client gets a response only after both services have sent it, so its next request finds both in the same state.
    let held: Array<Buffer> = []
    let hasEnded = false
    let late: NodeJS.Timeout | undefined
    let answered = (): void => {}
    const handOver = (): void => {
      clearTimeout(late)
      late = undefined
      for (const bytes of held) caller.write(bytes)
      held = []
      if (hasEnded) caller.end()
      answered()
    }
    const look = (): void => {
      if (isSame()) handOver()
      else late ??= setTimeout(handOver, timeoutMillis)
    }
    first.on("data", (bytes: Buffer) => {
      held.push(bytes)
      look()
    })
    for (const event of ["end", "close"] as const) {
      first.on(event, () => {
        hasEnded = true
        look()
      })
    }
    second.on("data", look)

    const forward = (bytes: Buffer): Promise<void> =>
      new Promise((resolve) => {
        first.write(bytes)
        second.write(Buffer.from(withTags(translate(bytes.toString("latin1"))), "latin1"))
        if (!isWhole(bytes.toString("latin1"))) resolve()
        else {
          answered = resolve
          setTimeout(resolve, timeoutMillis).unref()
        }
      })
    caller.on("data", (bytes: Buffer) => {
      turn = turn.then(() => forward(bytes))
    })
    caller.on("end", () => {
      turn = turn.then(() => {
        first.end()
        second.end()
      })
    })
    const compare = async (): Promise<void> => {
      await ended(caller)
      clearTimeout(late)
      compared += 1
      if (!isSame()) differences.push({ sent: sent(), first: fromFirst(), second: fromSecond() })
      for (const socket of [first, second]) socket.destroy()
    }
    const comparison = compare().finally(() => running.delete(comparison))
    running.add(comparison)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    port: (server.address() as AddressInfo).port, // Safe: the server listens on TCP.
    compared: () => compared,
    differences,
    close: async () => {
      server.close()
      await Promise.all(running)
    },
  }
}
