/** A proxy for a PostgreSQL server that records statements and their values from the bytes on the wire. */
import { openProxy } from "@petstore/harness/proxy"

export interface SentStatement {
  readonly text: string
  readonly values: ReadonlyArray<string | null>
}

export interface RecordingLine {
  /** The server's URL, through the proxy. */
  readonly url: string
  readonly statements: ReadonlyArray<SentStatement>
  readonly close: () => void
}

const textAt = (bytes: Buffer, start: number): string => bytes.toString("utf8", start, bytes.indexOf(0, start))

/** The values in a Bind message, all of which are text (PostgreSQL documentation, chapter 55.7). */
const valuesOf = (bind: Buffer): ReadonlyArray<string | null> => {
  let place = bind.indexOf(0, bind.indexOf(0) + 1) + 1
  place += 2 + 2 * bind.readInt16BE(place)
  const values: Array<string | null> = []
  const count = bind.readInt16BE(place)
  place += 2
  for (let value = 0; value < count; value += 1) {
    const length = bind.readInt32BE(place)
    place += 4
    values.push(length < 0 ? null : bind.toString("utf8", place, place + length))
    place += Math.max(0, length)
  }
  return values
}

/** Records the statements in a client's bytes. The bytes are forwarded unchanged. */
const recorderOf = (statements: Array<SentStatement>) => {
  let held: Buffer = Buffer.alloc(0)
  // The first message has no type.
  let hasStarted = false
  let text = ""
  return (bytes: Buffer): Buffer => {
    held = Buffer.concat([held, bytes])
    for (;;) {
      const head = hasStarted ? 1 : 0
      if (held.length < head + 4) return bytes
      const end = head + held.readInt32BE(head)
      if (held.length < end) return bytes
      const type = hasStarted ? String.fromCharCode(held[0] ?? 0) : ""
      const body = held.subarray(head + 4, end)
      // A Parse message starts with the name of the prepared statement, which is empty here.
      if (type === "P") text = textAt(body, body.indexOf(0) + 1)
      if (type === "B") statements.push({ text, values: valuesOf(body) })
      // A statement without values is a single message.
      if (type === "Q") statements.push({ text: textAt(body, 0), values: [] })
      hasStarted = true
      held = held.subarray(end)
    }
  }
}

export const recordingLineTo = async (url: string): Promise<RecordingLine> => {
  const statements: Array<SentStatement> = []
  const proxy = await openProxy(url, () => ({ ofCaller: recorderOf(statements) }))
  // The recorder does not understand the request for TLS that otherwise comes first.
  return { url: `${proxy.url}?sslmode=disable`, statements, close: proxy.close }
}
