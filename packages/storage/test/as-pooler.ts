/** A proxy for a PostgreSQL server that greets clients like a pooler. */
import { openProxy, type TcpProxy } from "@petstore/harness/proxy"

/** Changes the process ID in the greeting, as a pooler does (PostgreSQL documentation, chapter 54.7, BackendKeyData). */
const otherNumber = () => {
  let hasGreeted = false
  return (bytes: Buffer): Buffer => {
    const place = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
    if (hasGreeted || place < 0) return bytes
    hasGreeted = true
    const other = Buffer.from(bytes)
    other.writeInt32BE(bytes.readInt32BE(place + 5) + 1, place + 5)
    return other
  }
}

export const openAsPooler = (url: string): Promise<TcpProxy> => openProxy(url, () => ({ ofServer: otherNumber() }))
