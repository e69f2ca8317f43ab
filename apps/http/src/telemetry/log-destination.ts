/**
 * Writes log lines to a file descriptor, many complete lines in one write. Linux never interleaves such a write with those of
 * other processes, so workers can share one output. For a pipe this is true up to `PIPE_BUF` bytes (pipe(7)), and for a file it
 * is true without a limit (write(2), on processes that share a file offset).
 *
 * A service does not wait for its log's reader. While a pipe is full, lines are buffered up to a limit, and further lines are
 * dropped and counted.
 */
import { fstatSync, writeSync } from "node:fs"

/** Linux's `PIPE_BUF`, in bytes. */
const pipeBytes = 4_096
/** How much is collected for one write to a file, in characters, because the limit need not be exact. */
const fileBytes = 65_536
/** How long a line may wait for further lines, in ms. */
const waitMillis = 100
/** How many bytes of lines are buffered for a stalled reader. */
const keptBytes = 1_048_576
/** How long the process may wait for a slow reader when it exits, in ms. */
const lastMillis = 100
/** The pause before another write to a full pipe, in ms. */
const fullMillis = 5

export interface LogDestination {
  /** Accepts a line with its line break. An urgent line is written at once, because it may be the last one. */
  readonly write: (line: string, isUrgent?: boolean) => void
  /** Writes waiting lines, as far as the reader accepts them. */
  readonly flush: () => void
}

const pause = new Int32Array(new SharedArrayBuffer(4))

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && "code" in thrown ? thrown.code : undefined)

/**
 * Opens the destination for as long as the process runs. When the process exits, waiting lines are written if the reader accepts
 * them.
 *
 * @param descriptor   a file, or a pipe or socket in non-blocking mode
 * @param droppedLine  returns the line that reports how many lines before it are missing
 */
export const logDestination = (descriptor: number, droppedLine: (lines: number) => string): LogDestination => {
  // Only a pipe needs exact counts. Joining strings costs less than writing bytes line by line.
  const [maximum, sizeOf] = fstatSync(descriptor).isFile()
    ? [fileBytes, (line: string) => line.length]
    : [pipeBytes, Buffer.byteLength]
  let waiting = ""
  let waitingSize = 0
  /** Blocks that the reader has not accepted, oldest first, each for one write. */
  const full: Array<Buffer> = []
  let fullBytes = 0
  let droppedLines = 0
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  /** Writes as much as the reader accepts. Returns whether everything was written. */
  const writeAll = (): boolean => {
    for (let [bytes] = full; bytes !== undefined; [bytes] = full) {
      let written = bytes.length
      try {
        if (!isClosed) written = writeSync(descriptor, bytes)
      } catch (thrown) {
        if (codeOf(thrown) === "EAGAIN") return false
        // The reader has closed the pipe, or the disk is full. A service does not stop because of its log.
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
