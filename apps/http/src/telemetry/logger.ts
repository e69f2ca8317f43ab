/** The log of a process: JSON lines on standard output, or text for a developer at a terminal. */
import { type Logger, pino } from "pino"
import type { Config } from "../config.js"
import { logDestination } from "./log-destination.js"
import type { RequestObserver } from "./observe-requests.js"
import { readableLine } from "./readable-log.js"

const standardOutput = 1

/** Opens the log. At level `silent` there is none. */
export const createLogger = ({ logLevel, deployment }: Pick<Config, "logLevel" | "deployment">): Logger => {
  if (logLevel === "silent") return pino({ level: logLevel, enabled: false })
  const destination = logDestination(standardOutput)
  const isForPeople = deployment === "development" && process.stdout.isTTY
  const logger = isForPeople
    ? pino({ level: logLevel }, { write: (line) => destination.write(readableLine(line)) })
    : pino({ level: logLevel }, destination)
  // Node prints the error and ends the process, as it should; the log has it too, with a time.
  process.on("uncaughtExceptionMonitor", (err) => {
    logger.fatal({ err }, "the process ends: a defect outside of any request")
    destination.flush()
  })
  return logger
}

/** A path is not trusted to be short. */
const pathMaximum = 200

/** One line for each request. Without the level `info` there are none. */
export const requestLog = (logger: Logger): ReadonlyArray<RequestObserver> =>
  logger.isLevelEnabled("info")
    ? [
        {
          started: () => {},
          ended: ({ isAnswered, path, ...facts }) =>
            logger.info(
              { ...facts, path: path.slice(0, pathMaximum) },
              isAnswered ? "answered" : "the caller left before the answer",
            ),
        },
      ]
    : []
