/** Typed views of the WebAssembly memory. They are replaced when the memory grows, so callers must not store them. */
import { isUtf8 } from "node:buffer"
import { hash } from "./structures.js"
import { failWith } from "./system-errors.js"

/** A `WebAssembly.Memory`, whose type is only in TypeScript's DOM library. */
export interface Pages {
  readonly buffer: ArrayBuffer
  readonly grow: (pages: number) => number
}

/** Pointers are byte offsets; 0 is null in SQL and C. */
export class Memory {
  readonly #memory: Pages
  bytes!: Buffer
  view!: DataView
  ints!: Int32Array
  longs!: BigInt64Array
  doubles!: Float64Array

  constructor(memory: Pages) {
    this.#memory = memory
    this.refresh()
  }

  refresh(): void {
    const { buffer } = this.#memory
    this.bytes = Buffer.from(buffer)
    this.view = new DataView(buffer)
    this.ints = new Int32Array(buffer)
    this.longs = new BigInt64Array(buffer)
    this.doubles = new Float64Array(buffer)
  }

  /** Grows the memory to at least `size` bytes, by a quarter if possible. Returns whether it succeeded. */
  growTo(size: number, largest: number): boolean {
    if (size > largest) return false
    const now = this.#memory.buffer.byteLength
    const generous = Math.min(largest, Math.ceil(now * 1.25))
    return [Math.max(size, generous), size].some((wanted) => {
      try {
        this.#memory.grow(Math.ceil((wanted - now) / 65536))
      } catch {
        return false
      }
      this.refresh()
      return true
    })
  }

  int(pointer: number): number {
    // An aligned pointer inside the memory always has a cell; `| 0` narrows the index type.
    return this.ints[pointer >> 2] ?? 0
  }

  setInt(pointer: number, value: number): void {
    this.ints[pointer >> 2] = value
  }

  /** Reads an unsigned 16-bit integer. */
  short(pointer: number): number {
    return this.view.getUint16(pointer, true)
  }

  setShort(pointer: number, value: number): void {
    this.view.setUint16(pointer, value, true)
  }

  long(pointer: number): bigint {
    return this.longs[pointer >> 3] ?? 0n
  }

  setLong(pointer: number, value: bigint): void {
    this.longs[pointer >> 3] = value
  }

  double(pointer: number): number {
    return this.doubles[pointer >> 3] ?? 0
  }

  byte(pointer: number): number {
    return this.bytes[pointer] ?? 0
  }

  /** Reads a C string. A null pointer is read as the empty string. */
  text(pointer: number): string {
    if (pointer === 0) return ""
    return this.utf8(pointer, this.bytes.indexOf(0, pointer) - pointer)
  }

  /** Reads a C string that names a file. Throws for invalid UTF-8, because several such names could decode to the same text. */
  path(pointer: number): string {
    const { bytes } = this
    let end = pointer
    let bits = 0
    for (let byte = bytes[end]; byte !== undefined && byte !== 0; byte = bytes[++end]) bits |= byte
    // Most names are ASCII, which needs no check; the check would take longer than the rest of the function.
    if (bits > 127 && !isUtf8(bytes.subarray(pointer, end))) failWith("EINVAL")
    return bytes.toString(bits > 127 ? "utf8" : "latin1", pointer, end)
  }

  /** Reads text of a known length in bytes. Decodes short ASCII text itself, which is faster than a call into Node.js. */
  utf8(pointer: number, length: number): string {
    const { bytes } = this
    if (length > 24) return bytes.toString("utf8", pointer, pointer + length)
    let text = ""
    for (let at = pointer; at < pointer + length; at++) {
      const code = bytes[at] ?? 0
      if (code > 127) return bytes.toString("utf8", pointer, pointer + length)
      text += String.fromCharCode(code)
    }
    return text
  }
}

export const hashValues = (memory: Memory, at: number): number[] => {
  const values: number[] = []
  for (let element = memory.int(at + hash.first); element !== 0; element = memory.int(element + hash.elementNext)) {
    values.push(memory.int(element + hash.elementData))
  }
  return values
}
