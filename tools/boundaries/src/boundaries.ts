/**
 * The direction of imports, as a table, and the check of one file against it.
 *
 * Arrows point one way: apps → storage → core, and storage → sqljs. Core knows
 * neither Node nor HTTP nor SQL. Inside of a workspace that has rooms they stand above each
 * other, and no imports run in a circle. Type imports count: an arrow is an arrow.
 */
import { parseSync } from "oxc-parser"

/** What the sources of a workspace may import: workspace packages of ours, and packages of others (`node:*` stands for Node itself). */
interface Allowed {
  readonly ours: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

/** Marks a workspace whose outside packages are its own affair: its package.json lists them, and knip checks that. */
const anything = ["*"]

/** A workspace that is not in this table may not exist: see {@link violations}. */
export const arrows: Readonly<Record<string, Allowed>> = {
  "packages/core": { ours: [], others: ["effect", "@effect/schema", "vitest"] },
  "packages/sqljs": { ours: [], others: ["node:*", "sql.js"] },
  "packages/storage": { ours: ["@petstore/core", "@petstore/sqljs"], others: ["node:*", "effect", "pg"] },
  "packages/client": { ours: ["@petstore/core"], others: [] },
  "apps/docs": { ours: ["@petstore/core"], others: anything },
  "apps/counter": { ours: ["@petstore/client", "@petstore/docs"], others: anything },
  "apps/http": { ours: ["@petstore/core", "@petstore/storage", "@petstore/docs"], others: anything },
  "apps/quickstart": { ours: ["@petstore/core", "@petstore/storage"], others: anything },
  "tools/*": {
    ours: [
      "@petstore/core",
      "@petstore/storage",
      "@petstore/sqljs",
      "@petstore/client",
      "@petstore/conformance",
      "@petstore/test",
    ],
    others: anything,
  },
}

/** Inside core, vitest belongs to the published contract suites only. */
const onlyInTesting = new Set(["vitest"])

/**
 * The rooms of a workspace, lowest first: a file imports its own room and lower ones. A room is a folder of `src`,
 * or a file that stands there alone; rooms on one line do not know each other. `*` is one room of all that are not named.
 */
export const rooms: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  "packages/core": [["*"], ["contract"], ["promise", "testing"]],
  "apps/http": [
    ["config", "built-file", "release"],
    ["openapi", "telemetry"],
    ["http"],
    ["process"],
    ["cli"],
    ["main", "write-contract"],
  ],
}

/** One import that points the wrong way: the file, what it imports, and the rule it breaks. */
export interface Violation {
  readonly file: string
  readonly specifier: string
  readonly reason: string
}

/** Every module a source text names: static, re-exported, dynamic with a literal, type-only. */
const specifiers = (file: string, source: string): ReadonlyArray<string> => {
  const { module } = parseSync(file, source)
  const literal = ({ start, end }: { start: number; end: number }) => /^["'`](.*)["'`]$/s.exec(source.slice(start, end))?.[1]
  return [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...module.staticExports.flatMap((statement) => statement.entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...module.dynamicImports.flatMap((call) => literal(call.moduleRequest) ?? []),
  ]
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/**
 * What is wrong with the imports of one file.
 *
 * @param file    path from the root of the repository, with forward slashes: `packages/core/src/pet.ts`
 * @param source  its text
 */
export const violations = (file: string, source: string): ReadonlyArray<Violation> => {
  const [group = "", name = ""] = file.split("/")
  const workspace = `${group}/${name}`
  const allowed = arrows[workspace] ?? arrows[`${group}/*`]
  if (allowed === undefined) return [{ file, specifier: "", reason: `the table of arrows does not know ${workspace}` }]
  return specifiers(file, source).flatMap((specifier) => {
    const reason = reasonAgainst(file, workspace, allowed, specifier)
    return reason === undefined ? [] : [{ file, specifier, reason }]
  })
}

/** The file that a relative import names, as it is written: TypeScript is imported by the name it is compiled to. */
const targetOf = (file: string, specifier: string): string =>
  new URL(specifier, `file:///${file}`).pathname.slice(1).replace(/\.js$/, ".ts")

const reasonAgainstRoom = (file: string, workspace: string, target: string): string | undefined => {
  const levels = rooms[workspace]
  if (levels === undefined) return undefined
  const levelOf = (room: string): number => levels.findIndex((level) => level.includes(room))
  const nameOf = (path: string): string => path.slice(`${workspace}/src/`.length).split("/", 1)[0]?.replace(/\.ts$/, "") ?? ""
  const roomOf = (path: string): string => (levelOf(nameOf(path)) === -1 && levelOf("*") !== -1 ? "*" : nameOf(path))
  const [from, to] = [roomOf(file), roomOf(target)]
  if (levelOf(from) === -1) return `the table of rooms does not know ${from}`
  if (from === to || levelOf(to) < levelOf(from)) return undefined
  return `${from} stands ${levelOf(to) === levelOf(from) ? "beside" : "below"} ${to}`
}

/** The circles that relative imports of these files run in, each once, as the files on it in their order. */
export const circles = (sources: ReadonlyMap<string, string>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const walk = (file: string, way: ReadonlyArray<string>): void => {
    const start = way.indexOf(file)
    if (start !== -1) found.push([...way.slice(start), file])
    if (start !== -1 || done.has(file)) return
    for (const specifier of specifiers(file, sources.get(file) ?? "")) {
      if (specifier.startsWith(".")) walk(targetOf(file, specifier), [...way, file])
    }
    done.add(file)
  }
  for (const file of sources.keys()) walk(file, [])
  return found
}

const reasonAgainst = (file: string, workspace: string, allowed: Allowed, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    const target = targetOf(file, specifier)
    return target.startsWith(`${workspace}/`)
      ? reasonAgainstRoom(file, workspace, target)
      : `a relative import leaves ${workspace}`
  }
  const name = packageOf(specifier)
  if (name.startsWith("@petstore/") || name === "petstore" || name === "petstore-quickstart") {
    return allowed.ours.includes(name)
      ? undefined
      : `${workspace} may import of ours only: ${allowed.ours.join(", ") || "nothing"}`
  }
  if (onlyInTesting.has(name) && !file.includes("/src/testing/")) return `${name} belongs to src/testing only`
  const listed =
    allowed.others.includes("*") ||
    allowed.others.includes(name) ||
    (name.startsWith("node:") && allowed.others.includes("node:*"))
  return listed ? undefined : `${workspace} may import of others only: ${allowed.others.join(", ") || "nothing"}`
}
