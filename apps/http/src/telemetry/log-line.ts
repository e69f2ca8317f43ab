/** Lines of the log that no logger writes: before there is one, and whatever its level. Elsewhere than in development a machine reads them. */
import { hostname } from "node:os"
import { isDevelopment } from "../config.js"

/** Levels of pino. */
const levels = { info: 30, warn: 40, fatal: 60 }

/** A JSON line, as the logger would write it. */
export const logLine = (level: keyof typeof levels, facts: Readonly<Record<string, unknown>>, msg: string): string =>
  `${JSON.stringify({ level: levels[level], time: Date.now(), pid: process.pid, hostname: hostname(), ...facts, msg })}\n`

/** Says a sentence: to a person as it is, and to whatever else reads the output of a service as a line of its log. */
export const say = (output: NodeJS.WriteStream, level: keyof typeof levels, sentence: string, forPeople = sentence): void => {
  output.write(isDevelopment() || output.isTTY ? `${forPeople}\n` : logLine(level, {}, sentence))
}
