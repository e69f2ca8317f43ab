/** The PROXY protocol, versions 1 and 2: a proxy names its client in front of the first byte that it passes on. */
import { isIP } from "node:net"

export interface ProxiedClient {
  readonly address: string
  readonly port: number
}

/** A complete header: its length, and the client, unless the proxy speaks for itself. */
interface ProxyHeader {
  readonly bytes: number
  readonly client: ProxiedClient | undefined
}

/** Begins every header of version 2. */
const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1")

/** The longest line of version 1, with its line break. */
const lineMaximum = 107

/** The longest header of version 2 that is read, in bytes: addresses, and a few hundred bytes of extensions. */
const binaryMaximum = 4_096

const portForm = /^(?:0|[1-9][0-9]{0,4})$/

const clientOf = (address: string, port: number): ProxiedClient | undefined =>
  isIP(address) === 0 || port > 65_535 ? undefined : { address, port }

const lineHeader = (bytes: Buffer): ProxyHeader | "incomplete" | "malformed" => {
  const text = bytes.subarray(0, lineMaximum).toString("latin1")
  const end = text.indexOf("\r\n")
  if (!text.startsWith("PROXY ".slice(0, text.length))) return "malformed"
  if (end === -1) return bytes.length < lineMaximum ? "incomplete" : "malformed"
  const [, family, source = "", target = "", sourcePort = "", targetPort = "", ...more] = text.slice(0, end).split(" ")
  if (family === "UNKNOWN") return { bytes: end + 2, client: undefined }
  const version = family === "TCP4" ? 4 : family === "TCP6" ? 6 : -1
  const isValid = isIP(source) === version && isIP(target) === version && portForm.test(sourcePort) && portForm.test(targetPort)
  const client = isValid && more.length === 0 ? clientOf(source, Number(sourcePort)) : undefined
  return client === undefined ? "malformed" : { bytes: end + 2, client }
}

/** An address of version 2 as text: IPv4 with full stops, IPv6 in its eight groups. */
const addressIn = (bytes: Buffer): string =>
  bytes.length === 4
    ? bytes.join(".")
    : Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(2 * group).toString(16)).join(":")

const binaryHeader = (bytes: Buffer): ProxyHeader | "incomplete" | "malformed" => {
  if (bytes.length < 16) return "incomplete"
  const [versionAndCommand, familyAndProtocol] = bytes.subarray(12)
  const length = 16 + bytes.readUInt16BE(14)
  const command = versionAndCommand === 0x20 ? "LOCAL" : versionAndCommand === 0x21 ? "PROXY" : undefined
  if (command === undefined || length > binaryMaximum) return "malformed"
  if (bytes.length < length) return "incomplete"
  if (command === "LOCAL") return { bytes: length, client: undefined }
  const addressBytes = familyAndProtocol === 0x11 ? 4 : familyAndProtocol === 0x21 ? 16 : undefined
  // The specification lets a receiver ignore other families, such as UNIX sockets.
  if (addressBytes === undefined) return { bytes: length, client: undefined }
  if (length < 16 + 2 * addressBytes + 4) return "malformed"
  const client = { address: addressIn(bytes.subarray(16, 16 + addressBytes)), port: bytes.readUInt16BE(16 + 2 * addressBytes) }
  return { bytes: length, client }
}

/** Reads the header at the beginning of a connection. */
export const proxyHeader = (bytes: Buffer): ProxyHeader | "incomplete" | "malformed" => {
  const isBinary = bytes.subarray(0, signature.length).equals(signature.subarray(0, bytes.length))
  return isBinary ? binaryHeader(bytes) : lineHeader(bytes)
}
