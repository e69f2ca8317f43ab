/**
 * Where log lines go: to a file descriptor, many lines in one write. A write is at
 * most 4096 bytes of whole lines, which Linux never mixes with the writes of another
 * process (`PIPE_BUF`, pipe(7)): workers can share one output.
 */
import { writeSync } from "node:fs"

/** `PIPE_BUF` of Linux, in bytes. */
const atomicBytes = 4_096
/** How long a line may wait for others, in ms. */
const waitMillis = 100
/** The pause before a pipe that is full is tried again, in ms. The reader sets the pace; no line is lost. */
const fullMillis = 5

export interface LogDestination {
  /** Takes a line with its line break. An urgent one is written at once: it may be the last. */
  readonly write: (line: string, isUrgent?: boolean) => void
  /** Writes what waits. */
  readonly flush: () => void
}

const pause = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && "code" in thrown ? thrown.code : undefined)

/** Opens the destination for as long as the process runs; what waits at its end is written. */
export const logDestination = (descriptor: number): LogDestination => {
  const waiting = Buffer.alloc(atomicBytes)
  let waitingBytes = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const writeAll = (bytes: Buffer): void => {
    let written = 0
    while (written < bytes.length && !isClosed) {
      try {
        written += writeSync(descriptor, bytes, written)
      } catch (thrown) {
        if (codeOf(thrown) === "EAGAIN") Atomics.wait(pause, 0, 0, fullMillis)
        // Nobody reads any more, or the disk is full: a service does not end for its log.
        else isClosed = codeOf(thrown) === "EPIPE"
        if (codeOf(thrown) !== "EAGAIN") return
      }
    }
  }

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waitingBytes === 0) return
    const bytes = waiting.subarray(0, waitingBytes)
    waitingBytes = 0
    writeAll(bytes)
  }

  process.once("exit", flush)

  return {
    flush,
    write: (line, isUrgent = false) => {
      // A UTF-16 code unit has at most three bytes in UTF-8; only a line near the end of the space is measured.
      if (waitingBytes + line.length * 3 > atomicBytes && waitingBytes + Buffer.byteLength(line) > atomicBytes) flush()
      if (Buffer.byteLength(line) > atomicBytes) writeAll(Buffer.from(line))
      else waitingBytes += waiting.write(line, waitingBytes)
      if (isUrgent) flush()
      else timer ??= setTimeout(flush, waitMillis).unref()
    },
  }
}
