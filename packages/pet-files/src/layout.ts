/** Where a CSV file has its columns: finds the delimiter, the header line and each member's column, or proposes them. */
import { isPetStatus } from "@petstore/core"
import { foldedName } from "@petstore/core/internal"
import { type CsvRecord, csvParser } from "./csv.js"
import type { FileDescription, PetMember } from "./description.js"
import { FileRefused, shown } from "./refused.js"
import { guessedStatus } from "./status-words.js"

export interface Layout {
  readonly delimiter: string
  /** The header's cells or, without a header, the numbers of the columns. */
  readonly names: ReadonlyArray<string>
  /** The header's line; undefined without one. */
  readonly headerLine: number | undefined
  /** The number of records at the start that are titles or the header. */
  readonly leading: number
  /** The column of each name that was looked for, or -1. */
  readonly columnOf: Readonly<Record<string, number>>
}

/** Which names to look for. */
export interface Wanted {
  readonly required: ReadonlyArray<string>
  readonly optional: ReadonlyArray<string>
}

const words = (text: string) => text.split(" ")

const delimiters = [",", ";", "\t", "|"]

/** How many records at the start may be titles above the header. */
const titleMaximum = 10

/**
 * Headers under which other programs keep a member, the likeliest first. They are only proposed, because they often mean something
 * else. A header may also end in one of them, such as Dog_Name.
 */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  name: words(
    "petname animalname title productname item itemname commonname nombre nome nom naam imie jmeno nazwa rufname tiername кличка имя name",
  ),
  categoryId: words(
    "category species specie animaltype pettype kind producttype productcategory categories kategorie kategoria gatunek especie " +
      "espèce druh soort вид tipo tierart type class classtype animal group breed variety rasse raza rasa familia",
  ),
  status: words(
    "petstatus adoptionstatus outcomestatus currentstatus availability outcometype outcome estado zustand animalstatus",
  ),
}

const isKind = (name: string): boolean => name !== "animal" && (synonyms["categoryId"] ?? []).includes(name)

interface Candidate {
  readonly delimiter: string
  readonly records: ReadonlyArray<CsvRecord>
  readonly index: number
  readonly missing: number
  readonly fit: number
}

/** Whether a header is the name of a column, in any case and spelling. */
export const isSameColumn = (header: string, wanted: string): boolean => foldedName(header.trim()) === foldedName(wanted)

const find = (names: ReadonlyArray<string>, wanted: string): number => {
  const exact = names.indexOf(wanted)
  return exact === -1 ? names.findIndex((name) => isSameColumn(name, wanted)) : exact
}

const namesOf = (cells: ReadonlyArray<string>, { header }: FileDescription) =>
  header === false ? cells.map((_, index) => String(index + 1)) : cells

/** The names that a description looks for in a header, keyed by member. */
const lookedFor = (members: ReadonlyArray<string>, { columns = {}, header }: FileDescription): ReadonlyMap<string, string> => {
  const given: Readonly<Record<string, string | undefined>> = columns
  if (header !== false) return new Map(members.map((member) => [member, given[member] ?? member]))
  const positional = ["name", "categoryId", "status"]
  const isNamed = Object.keys(given).length > 0
  return new Map(members.map((member) => [member, given[member] ?? (isNamed ? "" : String(positional.indexOf(member) + 1))]))
}

const missingIn = (cells: ReadonlyArray<string>, wanted: Wanted, description: FileDescription) => {
  const names = namesOf(cells, description)
  const looked = lookedFor(wanted.required, description)
  return wanted.required.filter((member) => find(names, looked.get(member) ?? member) === -1)
}

/** How well a delimiter fits: the number of cells that most records have, and how many records have it. */
const fitOf = (records: ReadonlyArray<CsvRecord>) => {
  const counts = new Map<number, number>()
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  const [width, count] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [1, 0]
  return { width, fit: width === 1 ? 0 : (width * count) / records.length }
}

const candidateOf =
  (sample: string, line: number, isAll: boolean, wanted: Wanted, description: FileDescription) =>
  (delimiter: string): Candidate | FileRefused => {
    try {
      const csv = csvParser(delimiter, line)
      const records = [...csv.take(sample), ...(isAll ? csv.end() : [])].slice(0, 100)
      const { width, fit } = fitOf(records)
      const starts = records.slice(0, description.header === false ? 1 : titleMaximum)
      const missing = starts.map(({ cells }) => missingIn(cells, wanted, description).length)
      const least = Math.min(...missing)
      const index =
        least === 0
          ? missing.indexOf(0)
          : Math.max(
              0,
              starts.findIndex(({ cells }) => cells.length === width),
            )
      return { delimiter, records, index, missing: least, fit }
    } catch (thrown) {
      if (thrown instanceof FileRefused) return thrown
      throw thrown
    }
  }

/**
 * Whether a header looks like a row: none of its cells should be a number, a date, an address, a status, or a word for a status
 * above other such words.
 */
const isRow = (names: ReadonlyArray<string>, records: ReadonlyArray<CsvRecord>) =>
  names.some(
    (name, column) =>
      /^\s*(?:[-.]?[0-9][-0-9./:]*|https?:.*)\s*$/.test(name) ||
      isPetStatus(name.trim()) ||
      (guessedStatus(name.trim()) !== undefined && isOfStatuses(name, records, column)),
  )

/** How a column of a file without a header looks: whether it has words, and what part of its words are different ones. */
const contentOf = (records: ReadonlyArray<CsvRecord>, column: number) => {
  const values = records.map(({ cells }) => cells[column]?.trim() ?? "").filter((value) => value !== "")
  const texts = values.filter((value) => /^[^/@]{1,60}$/.test(value) && /\p{L}/u.test(value))
  return {
    column: String(column + 1),
    isText: texts.length > values.length / 2,
    isStatus: values.length > 0 && values.every((value) => guessedStatus(value) !== undefined),
    variety: new Set(values).size / Math.max(1, values.length),
  }
}

/**
 * Whether a column has words for statuses: more than a quarter are known if it is called a state or a status (in the state of an
 * address, none are), otherwise more than two thirds.
 */
const isOfStatuses = (name: string, records: ReadonlyArray<CsvRecord>, column: number): boolean => {
  const share = /stat(?:e|us)$/.test(foldedName(name.trim())) ? 1 / 4 : 2 / 3
  const values = records.map(({ cells }) => cells[column]?.trim() ?? "").filter((value) => value !== "" && value !== name.trim())
  return values.filter((value) => guessedStatus(value) !== undefined).length > values.length * share
}

/** The columns of a file without a header, by their content: most names are different ones, and most kinds are not. */
const proposeByContent = (names: ReadonlyArray<string>, records: ReadonlyArray<CsvRecord>, wanted: Wanted) => {
  const all = names.map((_, column) => contentOf(records, column))
  const texts = all.filter(({ isText, isStatus }) => isText && !isStatus)
  const [name] = texts.toSorted((one, other) => other.variety - one.variety)
  const [kind] = texts.filter((one) => one !== name).toSorted((one, other) => one.variety - other.variety)
  const found: Readonly<Record<string, string | undefined>> = { name: name?.column, categoryId: kind?.column }
  const status = wanted.optional.includes("status") ? all.find(({ isStatus }) => isStatus)?.column : undefined
  const columns = wanted.required.map((member, index) => [member, found[member] ?? String(index + 1)] as const)
  return Object.fromEntries([...columns, ...(status === undefined ? [] : [["status", status] as const])])
}

/** The columns that synonyms name, a default for a missing name, and `HEADER` for another required member without a column. */
const propose = (
  names: ReadonlyArray<string>,
  records: ReadonlyArray<CsvRecord>,
  missing: ReadonlyArray<string>,
  wanted: Wanted,
  description: FileDescription,
): FileDescription => {
  if (description.header !== false && isRow(names, records))
    return { header: false, columns: proposeByContent(names, records, wanted) }
  const columns: Record<string, string> = {}
  const isFree = (name: string) => !Object.values(columns).includes(name.trim())
  const isNameless = missing.includes("name") && description.columns?.name === undefined
  for (const member of [...missing, ...wanted.optional.filter((one) => one === "status")]) {
    if (!missing.includes(member) && (find(names, member) !== -1 || description.columns?.status !== undefined)) continue
    const free = names.filter(isFree)
    const named = (test: (name: string, synonym: string) => boolean) =>
      synonyms[member]?.flatMap((synonym) => free.filter((name) => test(foldedName(name.trim()), synonym)))[0]
    const near =
      named((name, synonym) => name === synonym) ??
      (missing.includes(member) ? named((name, synonym) => name.endsWith(synonym)) : undefined) ??
      (missing.includes(member) ? named((name, synonym) => synonym.length > 3 && name.startsWith(synonym)) : undefined) ??
      (member === "status" ? free.find((name) => isOfStatuses(name, records, names.indexOf(name))) : undefined)
    const column = near ?? (missing.includes(member) && !(member === "name" && isNameless) ? "HEADER" : undefined)
    if (column !== undefined) columns[member] = column.trim()
  }
  // "Animal" may head the names or the kinds. Beside another column of kinds, it heads the names, unless they have fewer different words.
  const animal = names.findIndex((name) => isSameColumn(name, "animal"))
  const kind = names.findIndex((name) => isKind(foldedName(name.trim())))
  const isName = missing.includes("name") && columns["name"] === undefined && animal !== -1 && kind !== -1
  if (isName && contentOf(records.slice(1), animal).variety >= contentOf(records.slice(1), kind).variety) {
    columns["name"] = names[animal]?.trim() ?? ""
    if (missing.includes("categoryId")) columns["categoryId"] = names[kind]?.trim() ?? ""
  }
  return { columns, ...(isNameless && columns["name"] === undefined && { default: { name: "(no name)" } }) }
}

/**
 * Finds the layout in the start of a file. Throws `FileRefused`, with a proposal for all columns at once.
 *
 * @param isAll  whether the sample is the whole file
 */
export const findLayout = (
  sample: string,
  isAll: boolean,
  wanted: Wanted,
  description: FileDescription,
): Layout & { readonly start: number } => {
  const named = /^sep=(.)(?:\r\n?|\n)/i.exec(sample)
  const start = named?.[0].length ?? 0
  const given = description.delimiter ?? named?.[1]
  const text = sample.slice(start)
  const found = (given === undefined ? delimiters : [given]).map(
    candidateOf(text, named === null ? 1 : 2, isAll, wanted, description),
  )
  const usable = found.filter((one) => !(one instanceof FileRefused) && one.records.length > 0) as ReadonlyArray<Candidate>
  const [best] = usable.toSorted((one, other) => one.missing - other.missing || other.fit - one.fit)
  if (best === undefined) throw found.find((one) => one instanceof FileRefused) ?? new FileRefused("The file has no rows.")
  const { delimiter, records, index } = best
  const header = records[index]
  const cells = header?.cells ?? []
  const line = header?.line ?? 1
  const names = namesOf(cells, description)
  const missing = missingIn(cells, wanted, description)
  const refuse = (reason: string, proposal: FileDescription = {}) =>
    new FileRefused(`The header on line ${line} cannot be used: ${reason}.`, proposal, names)
  if (missing.length > 0) {
    const looked = lookedFor(missing, description)
    const listed = missing.map((member) => looked.get(member) ?? member).join(" and ")
    const proposal = propose(names, records, missing, wanted, description)
    throw refuse(`it does not name the column ${listed}; it names ${names.map(shown).join(", ").slice(0, 500)}`, proposal)
  }
  const members = [...wanted.required, ...wanted.optional]
  const looked = lookedFor(members, description)
  const skipped = new Set((description.skip ?? []).map((column) => find(names, column)))
  for (const column of description.skip ?? [])
    if (find(names, column) === -1) throw refuse(`it does not name the column ${column} to skip`)
  const columnOf = Object.fromEntries(
    members.map((member) => {
      const wantedName = looked.get(member) ?? member
      const column = find(names, wantedName)
      const isGiven = description.columns?.[member as PetMember] !== undefined
      if (isGiven && column === -1) throw refuse(`it does not name the column ${wantedName}`)
      const isExact = names.includes(wantedName)
      const same = names.filter((name) => (isExact ? name === wantedName : isSameColumn(name, wantedName)))
      if (same.length > 1 && !skipped.has(column)) throw refuse(`it names ${wantedName} more than once`)
      return [member, skipped.has(column) ? -1 : column]
    }),
  )
  const hasHeader = description.header !== false
  return { delimiter, names, headerLine: hasHeader ? line : undefined, leading: hasHeader ? index + 1 : 0, columnOf, start }
}
