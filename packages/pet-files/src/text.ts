/** From a file's bytes to its text: `TextDecoder` knows the encodings. Bytes that are not text refuse the whole file. */
import { FileRefused, shown } from "./refused.js"

/** Files that are not text, by their first bytes. */
const containers = [
  { start: [0x50, 0x4b, 3, 4], is: "an Excel or OpenDocument workbook, or another zip file: save it as CSV (UTF-8)" },
  { start: [0xd0, 0xcf, 0x11, 0xe0], is: "an old Excel workbook: save it as CSV (UTF-8)" },
  { start: [0x25, 0x50, 0x44, 0x46], is: "a PDF document: export the data as CSV" },
  { start: [0x1f, 0x8b], is: "compressed by gzip: decompress it first" },
]

const startsWith = (bytes: Uint8Array, start: ReadonlyArray<number>): boolean =>
  start.every((byte, index) => bytes[index] === byte)

const encodingOf = (bytes: Uint8Array): string => {
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le"
  return startsWith(bytes, [0xfe, 0xff]) ? "utf-16be" : "utf-8"
}

/** Whether `TextDecoder` knows the encoding. */
export const isEncoding = (label: string): boolean => {
  try {
    return new TextDecoder(label).encoding !== ""
  } catch {
    return false
  }
}

/** The number of symbols inside words: few under the right encoding. Russian in the wrong one consists of accented letters. */
const oddity = (text: string): number => (text.match(/(?<=\p{L})[\u0080-\u00bf\u2000-\u2fff](?=\p{L})|[À-ÿ]{4}/gu) ?? []).length

/** The most likely encoding of bytes that are not UTF-8. */
const guess = (bytes: Uint8Array): string => {
  const zeros = bytes.filter((byte, index) => byte === 0 && index % 2 === 1).length
  if (zeros > bytes.length / 4) return "utf-16le"
  const candidates = ["windows-1252", "windows-1250", "windows-1251"]
  const oddities = candidates.map((label) => oddity(new TextDecoder(label).decode(bytes)))
  return candidates[oddities.indexOf(Math.min(...oddities))] ?? "windows-1252"
}

const lineEnd = /\r\n?|\n/

/** Decodes chunks of bytes. Throws `FileRefused` if they are not text in this encoding. Byte order marks at the start are dropped. */
export const textReader = (encoding?: string) => {
  let start: Uint8Array = new Uint8Array()
  let decoder: TextDecoder | undefined
  let isFirst = true
  let lines = 1
  let label = ""

  const decode = (bytes: Uint8Array, stream: boolean): string => {
    if (decoder === undefined) {
      const container = containers.find(({ start: mark }) => startsWith(bytes, mark))
      if (container !== undefined) throw new FileRefused(`The file is ${container.is}.`)
      label = encoding ?? encodingOf(bytes)
      decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
    }
    let text = ""
    try {
      text = decoder.decode(bytes, { stream })
    } catch {
      throw notText(bytes)
    }
    if (isFirst && text !== "") {
      isFirst = false
      text = text.replace(/^\uFEFF+/, "")
    }
    const nul = text.indexOf("\0")
    if (nul !== -1 && encoding === undefined && label === "utf-8" && guess(bytes.subarray(0, 4_096)) === "utf-16le") {
      throw new FileRefused("The file looks like UTF-16 without a byte order mark.", { encoding: "utf-16le" })
    }
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1
    return text
  }

  const notText = (bytes: Uint8Array): FileRefused => {
    const readable = new TextDecoder(label).decode(bytes)
    const before = readable.slice(0, Math.max(0, readable.indexOf("\uFFFD"))).split(lineEnd)
    const line = lines + before.length - 1
    const likely = guess(bytes)
    const broken = new TextDecoder(likely).decode(bytes).split(lineEnd)[before.length - 1] ?? ""
    return new FileRefused(
      `Line ${line} is not ${label.toUpperCase()}. In ${likely} it is ${shown(broken)}: if that is right, use this encoding, otherwise another (windows-1250 for Central Europe, windows-1251 for Cyrillic).`,
      { encoding: likely },
    )
  }

  return {
    take: (bytes: Uint8Array): string => {
      if (decoder !== undefined) return decode(bytes, true)
      if (start.length === 0 && bytes.length >= 4) return decode(bytes, true)
      start = Uint8Array.of(...start, ...bytes)
      return start.length < 4 ? "" : decode(start, true)
    },
    end: (): string => decode(decoder === undefined ? start : new Uint8Array(), false),
  }
}
