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
/** Level of pino from which a line is written at once: it may be the last one. */
const urgentLevel = 50
/** The pause before a pipe that is full is tried again, in ms. The reader sets the pace; no line is lost. */
const fullMillis = 5

export interface LogDestination {
  /** Takes a line with its line break. */
  readonly write: (line: string) => void
  /** Writes what waits. */
  readonly flush: () => void
}

const pause = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && "code" in thrown ? thrown.code : undefined)

/** Opens the destination for as long as the process runs; what waits at its end is written. */
export const logDestination = (descriptor: number): LogDestination => {
  let waiting: Array<Buffer> = []
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
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    writeAll(bytes)
  }

  process.once("exit", flush)

  const destination = {
    // pino tells the level of each line to a destination that has this mark.
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    flush,
    write: (line: string): void => {
      const bytes = Buffer.from(line)
      if (waitingBytes + bytes.length > atomicBytes) flush()
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (destination.lastLevel >= urgentLevel) flush()
      else timer ??= setTimeout(flush, waitMillis).unref()
    },
  }
  return destination
}
