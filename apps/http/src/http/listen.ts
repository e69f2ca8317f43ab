/** Binds a server to its address, or reports why that fails. */
import { type BoundedServer, createBoundedServer } from "@petstore/bounded-http"
import { Data, Effect } from "effect"

/** The server cannot listen on the address. `reason` is a sentence for the operator. */
export class NotListening extends Data.TaggedError("NotListening")<{ readonly reason: string }> {}

/** The host in a URL for requests from this machine to a server that listens on this address. Node listens on `::` for IPv4 too. */
export const hostInUrl = (address: string): string => {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1"
  return address.includes(":") ? `[${address}]` : address
}

/** The address of a server that listens on a host and a port. */
export type Address = Exclude<ReturnType<BoundedServer["address"]>, string | null>

/** The origin for requests from this machine to a server at this address. */
export const originOf = ({ address, port }: Address): string => `http://${hostInUrl(address)}:${port}`

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "cannot be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not an address of this machine",
}

/** How many connections may wait to be accepted. A client beyond this limit retries after 1 s, then after 2 s, 4 s and so on. */
const backlog = 4_096

/**
 * Listens, or fails with the reason.
 *
 * @param settings  the variables that an operator would change
 * @param fd        the file descriptor of a socket that already listens, if there is one
 */
export const listen = (
  server: BoundedServer,
  host: string,
  port: number,
  settings: string,
  fd?: number,
): Effect.Effect<Address, NotListening> =>
  Effect.async((resume) => {
    const inherited = (reason: string) => new NotListening({ reason: `The inherited socket ${fd} cannot be used: ${reason}.` })
    // Not `once`: if the server later cannot accept a connection, it emits another error, which must not crash the process.
    server.on("error", (error: NodeJS.ErrnoException) => {
      const reason = listenFailures[error.code ?? ""] ?? `cannot be used: ${error.message}`
      const unused = new NotListening({ reason: `${host}:${port} ${reason}. Set ${settings} to another address.` })
      resume(fd === undefined ? unused : inherited(error.message))
    })
    server.listen(fd === undefined ? { host, port, backlog } : { fd, backlog }, () => {
      const address = server.address()
      resume(address !== null && typeof address === "object" ? Effect.succeed(address) : inherited("it is not a TCP socket"))
    })
  })

/** Checks an address by listening on it briefly. */
export const checkAddress = (host: string, port: number, settings: string): Effect.Effect<void, NotListening> =>
  Effect.acquireUseRelease(
    Effect.sync(() => createBoundedServer(() => {})),
    (server) => listen(server, host, port, settings),
    (server) => Effect.promise(() => server.drain({ idleMillis: 0, deadlineMillis: 0 })),
  )
