/** Log lines for a developer at a terminal: turns each JSON line into one or more lines of text. */

/**
 * Turns a JSON log line into text.
 *
 * @example readableLine('{"level":"info","time":"1970-01-01T00:00:00.000Z","msg":"answered","status":200}\n') // "00:00:00.000 INFO answered status=200\n"
 */
export const readableLine = (line: string): string => {
  // Safe: every line of the log is one JSON object. A developer already knows `pid` and `hostname`.
  const { level, time, pid, hostname, msg, err, ...facts } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const shown = Object.entries(facts).map(
    ([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  )
  const stack = err instanceof Object && "stack" in err ? `\n${err.stack}` : ""
  return `${String(time).slice(11, 23)} ${String(level).toUpperCase()} ${String(msg ?? "")}${shown.join("")}${stack}\n`
}
