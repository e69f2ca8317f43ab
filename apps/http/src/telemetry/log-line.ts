/** Log lines for when no logger exists yet, or when no level may suppress them. Outside development, programs read them. */
import { hostname } from "node:os"
import { isDevelopment } from "../config.js"

/** Formats every line's time (RFC 3339). The log readers of Docker and systemd recognize this format and pino's level names. */
export const timestampOf = (millis: number): string => new Date(millis).toISOString()

/** A JSON line in the logger's format. */
export const logLine = (level: "info" | "warn" | "fatal", facts: Readonly<Record<string, unknown>>, msg: string): string =>
  `${JSON.stringify({ level, time: timestampOf(Date.now()), pid: process.pid, hostname: hostname(), ...facts, msg })}\n`

/** Prints a sentence as text in development or on a terminal, otherwise as a log line. On stderr, the text names the program. */
export const say = (output: NodeJS.WriteStream, level: "info" | "warn" | "fatal", sentence: string): void => {
  const text = output === process.stderr ? `petstore: ${sentence}` : sentence
  output.write(isDevelopment() || output.isTTY ? `${text}\n` : logLine(level, {}, sentence))
}
