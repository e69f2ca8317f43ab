/** Binds a server to its address, or reports why that fails. */
import { type AddressInfo, createServer, type Server } from "node:net"
import { Data, Effect } from "effect"

/** The server cannot listen on the address. `reason` is a sentence for the operator. */
export class NotListening extends Data.TaggedError("NotListening")<{ readonly reason: string }> {}

/** The host in a URL for requests from this machine to a server that listens on this address. Node listens on `::` for IPv4 too. */
export const hostInUrl = (address: string): string => {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1"
  return address.includes(":") ? `[${address}]` : address
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program",
  EACCES: "cannot be used by this user",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not an address of this machine",
}

/** How many connections may wait to be accepted. A client beyond this limit retries after 1 s, then after 2 s, 4 s and so on. */
const backlog = 4_096

/** Listens, or fails with the reason. `settings` names the variables that an operator would change. */
export const listen = (server: Server, host: string, port: number, settings: string): Effect.Effect<AddressInfo, NotListening> =>
  Effect.async((resume) => {
    // Not `once`: if the server later cannot accept a connection, it emits another error, which must not crash the process.
    server.on("error", (error: NodeJS.ErrnoException) => {
      const reason = listenFailures[error.code ?? ""] ?? `cannot be used: ${error.message}`
      resume(new NotListening({ reason: `${host}:${port} ${reason}. Set ${settings} to another address.` }))
    })
    server.listen({ host, port, backlog }, () => {
      const address = server.address()
      if (address !== null && typeof address === "object") resume(Effect.succeed(address))
    })
  })

/** Checks an address by listening on it briefly. */
export const checkAddress = (host: string, port: number, settings: string): Effect.Effect<void, NotListening> =>
  Effect.acquireUseRelease(
    Effect.sync(() => createServer()),
    (server) => listen(server, host, port, settings),
    (server) => Effect.sync(() => server.close()),
  )
