/** A process's log: JSON lines on standard output, or text for a developer at a terminal. */
import { hostname } from "node:os"
import { pino, stdTimeFunctions } from "pino"
import type { Config } from "../config.js"
import { type LogDestination, logDestination } from "./log-destination.js"
import { isJournal, logLine, withPriority } from "./log-line.js"
import { readableLine } from "./readable-log.js"
import { requestLog } from "./request-log.js"

const standardOutput = 1

/** The pino level from which a line is written at once. */
const urgentLevel = 50

/** A destination for pino. Because of the symbol, pino sets `lastLevel` before it writes a line. */
export const forPino = ({ write }: LogDestination) => {
  const stream = {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write: (line: string): void => write(line, stream.lastLevel >= urgentLevel),
  }
  return stream
}

/** Opens the log. `requests` writes one line per request, and is `undefined` above the level `info`. `silent` writes nothing. */
export const createLogger = ({
  logLevel,
  deployment,
  proxyNetworks,
}: Pick<Config, "logLevel" | "deployment" | "proxyNetworks">) => {
  if (logLevel === "silent") return { logger: pino({ level: logLevel, enabled: false }), requests: undefined }
  // The first use of `process.stdout` makes a pipe non-blocking (libuv, `uv_pipe_open`), so that a write to a full pipe fails.
  const isForPeople = process.stdout.isTTY && deployment === "development"
  const spelled = isForPeople ? readableLine : isJournal(standardOutput) ? withPriority : (line: string) => line
  const output = logDestination(standardOutput, (lines) =>
    spelled(logLine("warn", { lines }, "log lines are missing here: standard output was not read in time")),
  )
  const destination: LogDestination = { ...output, write: (line, isUrgent) => output.write(spelled(line), isUrgent) }
  const base = { pid: process.pid, hostname: hostname() }
  const formatters = { level: (level: string) => ({ level }) }
  const logger = pino({ level: logLevel, base, formatters, timestamp: stdTimeFunctions.isoTime }, forPino(destination))
  // Node prints the error and exits. The log gets the error too, with a timestamp.
  process.on("uncaughtExceptionMonitor", (err) => {
    logger.fatal({ err }, "the process will exit: a defect outside any request")
    destination.flush()
  })
  // The addresses of proxies say nothing.
  const requests = logger.isLevelEnabled("info") ? requestLog(destination.write, base, proxyNetworks.length > 0) : undefined
  return { logger, requests }
}
