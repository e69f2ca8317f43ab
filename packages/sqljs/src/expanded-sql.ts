/** Replaces the parameters in a statement's SQL with the last bound values, formatted as SQLite formats them. */
import type { Connection } from "./connection.js"
import type { Engine } from "./engine.js"
import type { Parameters } from "./parameters.js"
import { value as cell, database as databaseFields, statement as fields } from "./structures.js"
import { readValue } from "./values.js"

/** Matches comments, strings and quoted names, which may contain text like a parameter; words and numbers; and parameters. */
const token =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*|(\?\d*|[:@#][\w$\u0080-\uffff]+|\$[\w$\u0080-\uffff]+(?:::[\w$\u0080-\uffff]*)*(?:\([^\s)]*\))?)/g

/** A REAL, formatted like SQLite's %!.15g: 15 significant digits, always with a decimal point. */
const realLiteral = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf"
  const [digits = "", power] = value.toExponential(14).split("e")
  const exponent = Number(power)
  const trimmed = (text: string) => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ".0")
  if (exponent < -4 || exponent >= 15) {
    const sign = exponent < 0 ? "-" : "+"
    return `${trimmed(digits)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`
  }
  const fixed = value.toFixed(Math.max(0, 14 - exponent))
  return trimmed(fixed.includes(".") ? fixed : `${fixed}.0`)
}

const literal = (engine: Engine, pointer: number): string => {
  const value = readValue(engine, pointer, true)
  if (value === null) return "NULL"
  if (typeof value === "bigint") return value.toString()
  if (typeof value === "number") return realLiteral(value)
  // The text is a C string, which ends at its first NUL byte.
  if (typeof value === "string") return `'${(value.split("\0")[0] ?? "").replaceAll("'", "''")}'`
  return `x'${Buffer.from(value).toString("hex")}'`
}

/** Returns `undefined` if the result exceeds SQLite's limit on string length. */
export const expandSql = (connection: Connection, handle: number, sql: string, parameters: Parameters): string | undefined => {
  const { memory } = connection.engine
  const variables = memory.int(handle + fields.variables)
  let expanded = ""
  let from = 0
  let next = 1
  for (const { 1: text, index: at } of parameters.count === 0 ? [] : sql.matchAll(token)) {
    if (text === undefined) continue
    const index = text === "?" ? next : text.startsWith("?") ? Number(text.slice(1)) : (parameters.names.get(text) ?? next)
    next = Math.max(index + 1, next)
    expanded += sql.slice(from, at) + literal(connection.engine, variables + (index - 1) * cell.size)
    from = at + text.length
  }
  expanded += sql.slice(from)
  return Buffer.byteLength(expanded) > memory.int(connection.handle + databaseFields.limits) ? undefined : expanded
}
