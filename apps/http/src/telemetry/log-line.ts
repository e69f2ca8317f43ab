/** Log lines that are written without a logger: before it exists, or at any level. Outside of development programs read them. */
import { hostname } from "node:os"
import { isDevelopment } from "../config.js"

/** The time and level of every line: log readers of Docker and systemd know both (RFC 3339, level names of pino). */
export const timestampOf = (millis: number): string => new Date(millis).toISOString()

/** A JSON line, as the logger would write it. */
export const logLine = (level: "info" | "warn" | "fatal", facts: Readonly<Record<string, unknown>>, msg: string): string =>
  `${JSON.stringify({ level, time: timestampOf(Date.now()), pid: process.pid, hostname: hostname(), ...facts, msg })}\n`

/** Prints a sentence: as text on a terminal, otherwise as a line of the log. */
export const say = (
  output: NodeJS.WriteStream,
  level: "info" | "warn" | "fatal",
  sentence: string,
  forPeople = sentence,
): void => {
  output.write(isDevelopment() || output.isTTY ? `${forPeople}\n` : logLine(level, {}, sentence))
}
