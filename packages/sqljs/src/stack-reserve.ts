/**
 * A stack overflow inside SQLite would leave its memory inconsistent. Before each call that `framesOf` in `engine.ts` lists,
 * the engine therefore calls a WebAssembly function with a large frame. If the stack has no room for the frame, this function
 * throws RangeError before SQLite starts. The check takes less than 0.1 µs.
 */

/** The live values in one of the function's frames. The time to compile the function grows with the square of their number. */
const liveValues = 2000

const unsigned = (value: number): number[] => (value < 128 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)])
const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content]

/** Calls itself until its argument is 0. Every value needs a slot in the frame, because the compiler cannot recompute it. */
const recursion = [
  ...[0, 0x20, 0, 0x45, 0x04, 0x40, 0x0f, 0x0b], // if the argument is 0, return
  ...[0x20, 0, 0x41, 0, 0x48, 0x04, 0x40, 0x41, 0], // if it is negative, which never happens, store at address 0
  ...Array.from({ length: liveValues }, () => [0x10, 0]).flat(), // the results of this many calls
  ...Array.from({ length: liveValues - 1 }, () => 0xa0), // added up
  ...[0x39, 3, 0, 0x0b],
  ...[0x20, 0, 0x41, 1, 0x6b, 0x10, 1, 0x0b], // call itself with the argument minus one
]

const binary = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [2, 0x60, 1, 0x7f, 0, 0x60, 0, 1, 0x7c]),
  ...section(2, [1, 1, 0x65, 1, 0x66, 0, 1]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(7, [1, 1, 0x66, 0, 1]),
  ...section(10, [1, ...unsigned(recursion.length), ...recursion]),
])

/** The result throws RangeError unless the stack has room for `frames` of 8 KiB, or 16 KiB once V8 has optimised the code. */
export const stackReserve = (): ((frames: number) => void) => {
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(binary), { e: { f: () => 0 } }).exports
  // Safe: the module above exports one function.
  return f as (frames: number) => void
}
