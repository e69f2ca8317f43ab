/**
 * The direction of imports, as a table, and the check of one file against it.
 *
 * Arrows point one way: apps → storage → core, and storage → sqljs. Core knows
 * neither Node nor HTTP nor SQL. Type imports count: an arrow is an arrow.
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

const reasonAgainst = (file: string, workspace: string, allowed: Allowed, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    const target = new URL(specifier, `file:///${file}`).pathname
    return target.startsWith(`/${workspace}/`) ? undefined : `a relative import leaves ${workspace}`
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
