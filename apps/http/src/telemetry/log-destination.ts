/**
 * Where log lines go: to a file descriptor, many whole lines in one write, which Linux never
 * mixes with the writes of another process: workers can share one output. To a pipe that is at most
 * `PIPE_BUF` (pipe(7)), to a file any number of bytes (write(2), on processes that share a file offset).
 *
 * A service does not wait for the reader of its log: while a pipe is full, lines are kept up to a bound, and dropped and
 * counted beyond it.
 */
import { fstatSync, writeSync } from "node:fs"

/** `PIPE_BUF` of Linux, in bytes. */
const pipeBytes = 4_096
/** What is collected for one write to a file, in bytes, or in characters: it need not be exact. */
const fileBytes = 65_536
/** How long a line may wait for others, in ms. */
const waitMillis = 100
/** How many bytes of lines are kept for a reader that stalls. */
const keptBytes = 1_048_576
/** How long the end of the process may wait for a reader that is only slow, in ms. */
const lastMillis = 100
/** The pause before a full pipe is tried again, in ms. */
const fullMillis = 5

export interface LogDestination {
  /** Takes a line with its line break. An urgent one is written at once: it may be the last. */
  readonly write: (line: string, isUrgent?: boolean) => void
  /** Writes what waits, as far as the reader takes it. */
  readonly flush: () => void
}

const pause = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && "code" in thrown ? thrown.code : undefined)

/**
 * Opens the destination for as long as the process runs; what waits at its end is written, if its reader takes it at once.
 *
 * @param descriptor   a file, or a pipe or socket in non-blocking mode
 * @param droppedLine  the line that says how many lines are missing before it
 */
export const logDestination = (descriptor: number, droppedLine: (lines: number) => string): LogDestination => {
  // Only a pipe has to be counted exactly. Texts that are joined cost less than bytes that are written one line at a time.
  const [maximum, sizeOf] = fstatSync(descriptor).isFile()
    ? [fileBytes, (line: string) => line.length]
    : [pipeBytes, Buffer.byteLength]
  let waiting = ""
  let waitingSize = 0
  /** What the reader has not taken, oldest first, each in one write. */
  const full: Array<Buffer> = []
  let fullBytes = 0
  let droppedLines = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  /** Writes as much as the reader takes. Whether that was all. */
  const writeAll = (): boolean => {
    for (let [bytes] = full; bytes !== undefined; [bytes] = full) {
      let written = bytes.length
      try {
        if (!isClosed) written = writeSync(descriptor, bytes)
      } catch (thrown) {
        if (codeOf(thrown) === "EAGAIN") return false
        // The reader is gone, or the disk is full: a service does not end for its log.
        isClosed = codeOf(thrown) === "EPIPE"
      }
      fullBytes -= written
      if (written < bytes.length) full[0] = bytes.subarray(written)
      else full.shift()
    }
    return true
  }

  const collect = (): void => {
    if (waiting === "") return
    const bytes = Buffer.from(waiting)
    full.push(bytes)
    fullBytes += bytes.length
    waiting = ""
    waitingSize = 0
  }

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    collect()
    if (writeAll() && droppedLines > 0) {
      waiting = droppedLine(droppedLines)
      droppedLines = 0
      collect()
      writeAll()
    }
    if (fullBytes > 0) timer = setTimeout(flush, fullMillis).unref()
  }

  process.once("exit", () => {
    const untilMillis = performance.now() + lastMillis
    for (flush(); fullBytes > 0 && performance.now() < untilMillis; flush()) Atomics.wait(pause, 0, 0, fullMillis)
  })

  return {
    flush,
    write: (line, isUrgent = false) => {
      const size = sizeOf(line)
      if (waitingSize + size > maximum) flush()
      if (fullBytes + waitingSize + size > keptBytes) {
        droppedLines += 1
        return
      }
      waiting += line
      waitingSize += size
      if (isUrgent) flush()
      else timer ??= setTimeout(flush, waitMillis).unref()
    },
  }
}
