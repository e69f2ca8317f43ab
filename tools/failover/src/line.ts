/** A TCP line that leads to a port, can be led to another one, and can lose what comes back: the address and the network of the drill. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Line {
  readonly port: number
  /** Breaks what is open, and leads what comes next to another port. */
  readonly leadTo: (port: number) => void
  /** From now on what the far end sends is lost, on every connection that is open. What is sent to it still arrives. */
  readonly loseAnswers: () => void
  readonly close: () => void
}

export const openLine = async (target: number): Promise<Line> => {
  let port = target
  const sockets = new Set<Socket>()
  const farEnds = new Set<Socket>()

  const join = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.on("close", () => {
      sockets.delete(from)
      farEnds.delete(from)
      to.destroy()
    })
  }

  const server = createServer({ noDelay: true }, (caller) => {
    const callee = connect({ port, host: "127.0.0.1", noDelay: true })
    farEnds.add(callee)
    join(caller, callee)
    join(callee, caller)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port, // Safe: it listens on TCP.
    leadTo: (next) => {
      port = next
      cut()
    },
    loseAnswers: () => {
      for (const socket of farEnds) {
        socket.unpipe()
        socket.resume()
      }
    },
    close: () => {
      cut()
      server.close()
    },
  }
}

/** A port that nobody listens on at the moment. */
export const freePort = async (): Promise<number> => {
  const line = await openLine(0)
  line.close()
  return line.port
}
