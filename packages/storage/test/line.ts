/** A line to a server that can go silent or break, as networks do: what is behind it does not notice. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Line {
  /** The URL of the server, through the line. */
  readonly url: string
  /** Nothing passes any more, in either direction, on old connections and new ones. */
  readonly silence: () => void
  /** What was held back passes, and all that follows. */
  readonly resume: () => void
  /** Calls `then` at the next bytes of a caller that contain a text, before they pass. If it answers `cut`, they never do. */
  readonly onNext: (text: string, then: () => "cut" | "pass") => void
  /** Breaks every connection. New ones can be made. */
  readonly cut: () => void
  readonly close: () => void
}

export const lineTo = async (url: string): Promise<Line> => {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isSilent = false
  let watch: { readonly text: string; readonly then: () => "cut" | "pass" } | undefined

  const join = (from: Socket, to: Socket, isCaller: boolean): void => {
    sockets.add(from)
    if (isSilent) from.pause()
    from.on("data", (bytes) => {
      if (isCaller && watch !== undefined && bytes.includes(watch.text)) {
        const { then } = watch
        watch = undefined
        if (then() === "cut") {
          from.destroy()
          to.destroy()
          return
        }
      }
      to.write(bytes)
    })
    from.on("error", () => to.destroy())
    from.on("close", () => {
      sockets.delete(from)
      to.destroy()
    })
  }

  const server = createServer((caller) => {
    const callee = connect(Number(target.port), target.hostname)
    join(caller, callee, true)
    join(callee, caller, false)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port) // Safe: it listens on TCP.

  return {
    url: through.href,
    silence: () => {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
    onNext: (text, then) => {
      watch = { text, then }
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
