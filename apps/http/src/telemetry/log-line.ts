/** Log lines for when no logger exists yet, or when no level may suppress them. Outside development, programs read them. */
import { fstatSync } from "node:fs"
import { hostname } from "node:os"
import { isDevelopment } from "../config.js"

/** Formats every line's time (RFC 3339). The log readers of Docker and systemd recognize this format and pino's level names. */
export const timestampOf = (millis: number): string => new Date(millis).toISOString()

/** The priorities of syslog(3), by the logger's level names. */
const priorities: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

/** Whether systemd connected a descriptor to the journal (systemd.exec(5), `JOURNAL_STREAM`). */
export const isJournal = (descriptor: number): boolean => {
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  // biome-ignore lint/style/noProcessEnv: systemd sets it for this process; it is not a setting
  return process.env["JOURNAL_STREAM"] === `${dev}:${ino}`
}

/** Puts a line's priority before it, as sd-daemon(3) has it. The journal takes it off again, and `journalctl -p err` finds the line. */
export const withPriority = (line: string): string => `<${priorities[/^\{"level":"(\w+)"/.exec(line)?.[1] ?? ""] ?? 6}>${line}`

/** A JSON line in the logger's format. */
export const logLine = (level: "info" | "warn" | "fatal", facts: Readonly<Record<string, unknown>>, msg: string): string =>
  `${JSON.stringify({ level, time: timestampOf(Date.now()), pid: process.pid, hostname: hostname(), ...facts, msg })}\n`

/** Prints a sentence as text in development or on a terminal, otherwise as a log line. On stderr, the text names the program. */
export const say = (
  output: NodeJS.WriteStream & { readonly fd: number },
  level: "info" | "warn" | "fatal",
  sentence: string,
): void => {
  const text = output === process.stderr ? `petstore: ${sentence}` : sentence
  const line = isDevelopment() || output.isTTY ? `${text}\n` : logLine(level, {}, sentence)
  output.write(isJournal(output.fd) ? withPriority(line) : line)
}
