/**
 * Where log lines go: to a file descriptor, many whole lines in one write, which Linux never
 * mixes with the writes of another process: workers can share one output. To a pipe that is at most
 * `PIPE_BUF` (pipe(7)), to a file any number of bytes (write(2), on processes that share a file offset).
 */
import { fstatSync, writeSync } from "node:fs"

/** `PIPE_BUF` of Linux, in bytes. */
const pipeBytes = 4_096
/** What is collected for one write to a file, in bytes, or in characters: it need not be exact. */
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
  // Only a pipe has to be counted exactly. Texts that are joined cost less than bytes that are written one line at a time.
  const [maximum, sizeOf] = fstatSync(descriptor).isFile()
    ? [fileBytes, (line: string) => line.length]
    : [pipeBytes, Buffer.byteLength]
  let waiting = ""
  let waitingSize = 0
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
    if (waiting === "") return
    const bytes = Buffer.from(waiting)
    waiting = ""
    waitingSize = 0
    writeAll(bytes)
  }

  process.once("exit", flush)

  return {
    flush,
    write: (line, isUrgent = false) => {
      const size = sizeOf(line)
      if (waitingSize + size > maximum) flush()
      waiting += line
      waitingSize += size
      if (isUrgent) flush()
      else timer ??= setTimeout(flush, waitMillis).unref()
    },
  }
}
