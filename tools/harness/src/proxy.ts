/** A TCP proxy that simulates silence, broken connections, lost responses, and a switch to a different server. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Replaces bytes in transit, or returns `undefined` to break the connection. */
export type Passing = (bytes: Buffer) => Buffer | undefined

/** Inspects the bytes of one connection, in both directions. */
export interface Watch {
  readonly ofCaller?: Passing
  readonly ofServer?: Passing
}

export type TcpProxy = Awaited<ReturnType<typeof openProxy>>

/** Opens a proxy to the server in a URL, which must contain the port. `watch` is called for each connection. */
export const openProxy = async (url: string, watch: () => Watch = () => ({})) => {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const lost = new WeakSet<Socket>()
  const ofServers = new Set<Socket>()
  let isSilent = false
  let next: { readonly text: string; readonly then: () => "cut" | "pass" } | undefined

  const isCutBy = (bytes: Buffer): boolean => {
    if (next === undefined || !bytes.includes(next.text)) return false
    const { then } = next
    next = undefined
    return then() === "cut"
  }
  const join = (from: Socket, to: Socket, pass: Passing = (bytes) => bytes): void => {
    sockets.add(from)
    if (isSilent) from.pause()
    from.on("data", (bytes: Buffer) => {
      if (lost.has(from)) return
      const passed = pass(bytes)
      if (passed !== undefined) to.write(passed)
      else for (const socket of [from, to]) socket.destroy()
    })
    from.on("end", () => to.end())
    from.on("error", () => to.destroy())
    from.on("close", () => {
      sockets.delete(from)
      ofServers.delete(from)
      to.destroy()
    })
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const callee = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true, noDelay: true })
    const { ofCaller = (bytes) => bytes, ofServer } = watch()
    ofServers.add(callee)
    join(caller, callee, (bytes) => (isCutBy(bytes) ? undefined : ofCaller(bytes)))
    join(callee, caller, ofServer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port) // Safe: the server listens on TCP.

  /** Breaks every connection. New connections work. */
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    /** The server's URL through the proxy. */
    url: through.href,
    /** Stops all bytes, in both directions, on existing and new connections. */
    silence: (): void => {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    /** Forwards the delayed bytes, and all later ones. */
    resume: (): void => {
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
    /** Calls `then` before it forwards the next client bytes that contain this text. `cut` drops them and breaks the connection. */
    onNext: (text: string, then: () => "cut" | "pass"): void => {
      next = { text, then }
    },
    /** Drops the bytes from the server on every open connection. Bytes to the server still arrive. */
    loseAnswers: (): void => {
      for (const socket of ofServers) lost.add(socket)
    },
    cut,
    /** Breaks every connection, and connects later ones to a different server. */
    leadTo: (other: string): void => {
      target = new URL(other)
      cut()
    },
    close: (): void => {
      cut()
      server.close()
    },
  }
}
