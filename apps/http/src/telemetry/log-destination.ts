/**
 * Where log lines go: to a file descriptor, many whole lines in one write, which Linux never
 * mixes with the writes of another process: workers can share one output. To a pipe that is at most
 * `PIPE_BUF` (pipe(7)), to a file any number of bytes (write(2), on processes that share a file offset).
 */
import { fstatSync, writeSync } from "node:fs"

/** `PIPE_BUF` of Linux, in bytes. */
const pipeBytes = 4_096
/** What is collected for one write to a file, in bytes. */
const fileBytes = 65_536
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
  const waiting = Buffer.alloc(fstatSync(descriptor).isFile() ? fileBytes : pipeBytes)
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
      // A UTF-16 code unit has at most three bytes in UTF-8: only a line that may not fit is measured.
      const bytes = waitingBytes + line.length * 3 > waiting.length ? Buffer.byteLength(line) : 0
      if (waitingBytes + bytes > waiting.length) flush()
      if (bytes > waiting.length) writeAll(Buffer.from(line))
      else waitingBytes += waiting.write(line, waitingBytes)
      if (isUrgent) flush()
      else timer ??= setTimeout(flush, waitMillis).unref()
    },
  }
}
