/** A description as options of the command: decodes what an operator typed, and writes what can be pasted. */
import { isPetStatus, type PetStatus, petStatuses } from "@petstore/core"
import { foldedName } from "@petstore/core/internal"
import { csvParser, encodeCsvCell } from "./csv.js"
import { type FileDescription, type PetMember, petMembers } from "./description.js"
import { visible } from "./refused.js"

/** Splits `name=Name,"categoryId=A, B"`, a CSV record. Throws `Error` with a reason. */
const decodePairs = (text: string): ReadonlyArray<readonly [name: string, value: string]> => {
  const csv = csvParser(",")
  const cells = [...csv.take(text), ...csv.end()].flatMap((record) => record.cells)
  if (cells.length === 0) throw new Error("It is empty.")
  return cells.map((cell) => {
    const end = cell.lastIndexOf("=")
    if (end === -1) throw new Error(`Expected pairs such as name=value, got ${cell}.`)
    return [cell.slice(0, end).trim(), cell.slice(end + 1).trim()]
  })
}

/** Decodes `name=Name,categoryId=Kategorie`, and adds it to what was given before. */
export const decodeMembers = (text: string, before: FileDescription["columns"] = {}): NonNullable<FileDescription["columns"]> => {
  const members: Partial<Record<PetMember, string>> = { ...before }
  for (const [pair, rest] of decodePairs(text)) {
    // A header may contain an equals sign, a member cannot.
    const [given = "", ...header] = `${pair}=${rest}`.split("=")
    const member = petMembers.find((name) => foldedName(name) === foldedName(given))
    if (member === undefined) throw new Error(`Expected one of ${petMembers.join(", ")}, got ${given}.`)
    if (members[member] !== undefined) throw new Error(`${member} is given twice.`)
    members[member] = header.join("=")
  }
  return members
}

/** Decodes `Adopted=sold,Hold=pending,Unknown=`. */
export const decodeStatuses = (text: string, before: FileDescription["statuses"] = {}): Record<string, PetStatus | ""> => {
  const statuses: Record<string, PetStatus | ""> = { ...before }
  for (const [word, status] of decodePairs(text)) {
    if (status !== "" && !isPetStatus(status)) {
      throw new Error(`Expected ${petStatuses.join(", ")} or nothing after the equals sign of ${word}, got ${status}.`)
    }
    statuses[word] = status
  }
  return statuses
}

const list = (pairs: Readonly<Record<string, string>>): string =>
  quoted(
    Object.entries(pairs)
      .map(([name, value]) => encodeCsvCell(`${name}=${value}`))
      .join(","),
  )

/** The command's options for a description, quoted for a shell. */
export const optionsOf = (description: FileDescription): string => {
  const { encoding, delimiter, header, columns, skip = [], statuses, createCategories, forSpreadsheet } = description
  return [
    encoding === undefined ? "" : `--encoding ${quoted(encoding)}`,
    delimiter === undefined ? "" : `--delimiter ${delimiter === "\t" ? "tab" : quoted(delimiter)}`,
    header === false ? "--no-header" : "",
    columns === undefined ? "" : `--columns ${list(columns)}`,
    ...skip.map((column) => `--skip ${quoted(column)}`),
    description.default === undefined ? "" : `--default ${list(description.default)}`,
    statuses === undefined ? "" : `--statuses ${list(statuses)}`,
    createCategories ? "--create-categories" : "",
    forSpreadsheet ? "--for-spreadsheet" : "",
  ]
    .filter((option) => option !== "")
    .join(" ")
}

/** Quotes an argument for a shell, if it needs quotes. Characters that would steer the terminal are escaped, as bash and zsh read them. */
export const quoted = (text: string): string => {
  if (/^[\w=,.:/-]+$/.test(text)) return text
  const plain = text.replaceAll(/[\\']/g, "\\$&")
  const escaped = visible(plain)
  return escaped === plain ? `'${text.replaceAll("'", "'\\''")}'` : `$'${escaped}'`
}
