/**
 * Opens the socket of a connection, with TLS as libpq's `sslmode` describes it. The `pg` library cannot fall back to a connection
 * without TLS, and does not say which kind it has.
 */
import { readFileSync } from "node:fs"
import { isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect, getCACertificates } from "node:tls"
import type { TlsAddress } from "./address.js"
import { ConnectionLost } from "./errors.js"

/** The message that asks a server for TLS (PostgreSQL, "Message Formats"). The server responds with one byte, S or N. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Waits for an event. Fails if the socket closes first. */
const next = (socket: Socket, event: "connect" | "data" | "secureConnect"): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const close = (): void => reject(new ConnectionLost("The database closed the connection"))
    socket.once("error", reject).once("close", close)
    socket.once(event, (value: unknown) => {
      socket.off("error", reject).off("close", close)
      resolve(value)
    })
  })

/** Reads a file that the URL names. An error of the file system would otherwise look like that of a server that is away. */
const read = (parameter: string, path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (thrown) {
    throw new Error(`${parameter} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`, { cause: thrown })
  }
}

const optionsOf = ({ mode, rootCertificates, certificate, key }: TlsAddress, host: string): ConnectionOptions => {
  const verifies = mode === "verify-full" || rootCertificates !== undefined
  const roots =
    rootCertificates === undefined || rootCertificates === "system"
      ? getCACertificates("system")
      : read("sslrootcert", rootCertificates)
  return {
    host,
    // A name of a server must not be an address (RFC 6066 §3).
    ...(isIP(host) === 0 && { servername: host }),
    ...(certificate !== undefined && { cert: read("sslcert", certificate) }),
    ...(key !== undefined && { key: read("sslkey", key) }),
    rejectUnauthorized: verifies,
    ...(verifies && { ca: roots }),
    ...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
  }
}

const isLoopback = (address: string | undefined): boolean => /^(?:::1$|(?:::ffff:)?127\.)/.test(address ?? "")

export interface Server {
  readonly host: string
  readonly port: number
  readonly tls: TlsAddress
}

/**
 * Connects a socket, and returns the stream for the protocol. `onPlainText` is called before anything is sent in clear text to
 * another machine; if it throws, nothing is sent.
 */
export const openStream = async (
  socket: Socket,
  { host, port, tls }: Server,
  onPlainText: ((host: string) => void) | undefined,
): Promise<Socket> => {
  const isLocal = host.startsWith("/")
  const connected = next(socket, "connect")
  if (isLocal) socket.connect(`${host}/.s.PGSQL.${port}`)
  else socket.connect(port, host)
  await connected
  if (!isLocal && tls.mode !== "disable") {
    const responded = next(socket, "data")
    socket.write(tlsRequest)
    // Safe: no encoding is set. More than one byte would be data that an attacker put in front of the encrypted part.
    const response = ((await responded) as Buffer).toString("latin1")
    if (response === "S") {
      const secured = connect({ socket, ...optionsOf(tls, host) })
      await next(secured, "secureConnect")
      return secured
    }
    if (response !== "N") throw new ConnectionLost("The database did not respond to the request for TLS as PostgreSQL does")
    if (tls.mode !== "prefer") throw new Error(`The server has no TLS (ssl = off), but the URL says sslmode=${tls.mode}`)
  }
  if (!isLocal && !isLoopback(socket.remoteAddress)) onPlainText?.(host)
  return socket
}
