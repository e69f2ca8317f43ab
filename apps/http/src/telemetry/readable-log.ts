/** Log lines for a developer at a terminal: turns each JSON line into one or more lines of text. */

/** Members that a developer already knows, or that appear elsewhere in the line. */
const unshown = new Set(["level", "time", "pid", "hostname", "msg", "err"])

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const stackOf = (err: unknown): string => (isRecord(err) && typeof err["stack"] === "string" ? `\n${err["stack"]}` : "")

/**
 * Turns a JSON log line into text.
 *
 * @example readableLine('{"level":"info","time":"1970-01-01T00:00:00.000Z","msg":"answered","status":200}\n') // "00:00:00.000 INFO answered status=200\n"
 */
export const readableLine = (line: string): string => {
  const entry: unknown = JSON.parse(line)
  if (!isRecord(entry)) return line
  const { level, time, msg, err } = entry
  const clock = String(time).slice(11, 23)
  const facts = Object.entries(entry)
    .filter(([name]) => !unshown.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
  return `${clock} ${String(level).toUpperCase()} ${String(msg ?? "")}${facts.join("")}${stackOf(err)}\n`
}
