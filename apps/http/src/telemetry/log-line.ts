/** Lines of the log that no logger writes: before there is one, and whatever its level. Elsewhere than in development a machine reads them. */
import { hostname } from "node:os"
import { isDevelopment } from "../config.js"

/** How every line names its moment and its level: readers of Docker's and systemd's logs know both (RFC 3339, level names of pino). */
export const timestampOf = (millis: number): string => new Date(millis).toISOString()

/** A JSON line, as the logger would write it. */
export const logLine = (level: "info" | "warn" | "fatal", facts: Readonly<Record<string, unknown>>, msg: string): string =>
  `${JSON.stringify({ level, time: timestampOf(Date.now()), pid: process.pid, hostname: hostname(), ...facts, msg })}\n`

/** Says a sentence: to a person as it is, and to whatever else reads the output of a service as a line of its log. */
export const say = (
  output: NodeJS.WriteStream,
  level: "info" | "warn" | "fatal",
  sentence: string,
  forPeople = sentence,
): void => {
  output.write(isDevelopment() || output.isTTY ? `${forPeople}\n` : logLine(level, {}, sentence))
}
