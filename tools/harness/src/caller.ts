/** Clients that send raw bytes. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"

/** A client that sends bytes, and keeps its sending side open when the service closes its own side. */
export class Caller {
  readonly socket: Socket
  received = ""
  /** Whether the service reset the connection: the client may then lose its last response. */
  isReset = false
  readonly closed: Promise<void>
  readonly ended: Promise<void>

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on("data", (bytes: Buffer) => {
      this.received += bytes.toString("latin1")
    })
    socket.on("error", () => {
      this.isReset = true
    })
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()))
    this.ended = new Promise((resolve) => socket.once("end", resolve).once("close", () => resolve()))
    onTestFinished(() => void socket.destroy())
  }

  static async open(port: number): Promise<Caller> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    await once(socket, "connect")
    return new Caller(socket)
  }

  /** Sends bytes, one per character. */
  send(text: string): void {
    this.socket.write(text, "latin1")
  }

  /** The responses so far, each as its status and its error code or body. */
  get responses(): ReadonlyArray<string> {
    const responses: Array<string> = []
    for (let rest = this.received; rest !== ""; ) {
      const [head = ""] = rest.split("\r\n\r\n", 1)
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(head)?.[1]
      const length = Number(/\r\ncontent-length: ([0-9]+)/i.exec(head)?.[1] ?? 0)
      const end = head.length + 4 + length
      if (status === undefined || rest.length < end) return [...responses, `cut off: ${rest.slice(0, 100)}`]
      const body = rest.slice(head.length + 4, end)
      responses.push(`${status} ${/"code":"([a-z_]+)"/.exec(body)?.[1] ?? body}`.trim())
      rest = rest.slice(end)
    }
    return responses
  }
}

/** Waits until the condition holds. `what` describes it in the error. */
export const until = async (condition: () => boolean, what: string): Promise<void> => {
  const tooLateAt = performance.now() + 60_000
  while (!condition()) {
    if (performance.now() > tooLateAt) throw new Error(`timed out waiting for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export const get = (target: string, ...lines: ReadonlyArray<string>): string =>
  [`GET ${target} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n")

export const post = (target: string, body: string, ...lines: ReadonlyArray<string>): string =>
  [`POST ${target} HTTP/1.1`, "Host: a", `Content-Length: ${body.length}`, ...lines, "", body].join("\r\n")
