/**
 * Turns the examples in docstrings into modules that a test can run.
 *
 * An example consists of a few statements as a reader would type them. Every public name is in scope, and so are the values that
 * the example cannot create itself: `petstore`, `baseUrl` and `apiKey` for a running service, an `error` that a call threw, a
 * `catalogue`, and `load` and `save` for a cursor. An effect runs on an in-memory store. A comment at the end of a statement is the value that the statement should have.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { root } from "../src/published.ts"

export interface Example {
  /** `packages/core/src/pet.ts:43` */
  readonly place: string
  readonly text: string
}

/** Patterns for a docstring, and for the text of an example tag up to the next tag. */
const docstring = /\/\*\*[\s\S]*?\*\//g
const exampleTag = /^[ \t]*\*[ \t]*@example\b([\s\S]*?)(?=^[ \t]*\*[ \t]*@\w|\*\/)/gm

/** Every example in a package's sources. */
export const examplesOf = (workspace: string): ReadonlyArray<Example> =>
  globSync(`${workspace}/src/**/*.ts`, { cwd: root })
    .sort()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8")
      return [...source.matchAll(docstring)].flatMap((comment) =>
        // A docstring on one line gets the line breaks that the pattern for a tag expects.
        [...comment[0].replace(/^\/\*\*[ \t]*(?=@)/, "/**\n* ").matchAll(exampleTag)].map((tag) => {
          const line = source.slice(0, comment.index).split("\n").length
          const text = (tag[1] ?? "").replaceAll(/^[ \t]*\*[ ]?/gm, "").trim()
          return { place: `${file}:${line}`, text }
        }),
      )
    })

/** Where an example finds its names: in the first module that exports each name. */
export interface Scope {
  readonly [module: string]: ReadonlyArray<string>
}

/** The variables that the test passes to every example. */
const given = ["petstore", "baseUrl", "apiKey", "error", "catalogue", "load", "save"]

/** Replaces each comment at the end of a statement with a call that compares the statement's value with the comment. */
const withComparisons = (body: string, prefix: string): string => {
  const { program, comments, errors } = parseSync("example.ts", `${prefix}${body}\n}`)
  if (errors.length > 0) throw new Error(`An example does not compile: ${errors[0]?.message}\n${body}`)
  const [wrapper] = program.body
  // Safe: `prefix` opens one function declaration.
  const statements = wrapper?.type === "FunctionDeclaration" ? (wrapper.body?.body ?? []) : []
  let text = body
  for (const statement of statements.toReversed()) {
    const end = statement.end - prefix.length
    const comment = comments.find(
      ({ start }) => start >= statement.end && !/\n/.test(`${prefix}${body}`.slice(statement.end, start)),
    )
    if (comment === undefined) continue
    if (statement.type === "ExpressionStatement") {
      const start = statement.start - prefix.length
      text = `${text.slice(0, start)};shows(${text.slice(start, end)}, ${comment.value.trim()});${text.slice(comment.end - prefix.length)}`
    }
    if (statement.type === "VariableDeclaration") {
      const { id } = statement.declarations[0] ?? {}
      if (id?.type !== "Identifier") throw new Error(`Only a plain name can be compared: ${body}`)
      text = `${text.slice(0, end)};shows(${id.name}, ${comment.value.trim()});${text.slice(comment.end - prefix.length)}`
    }
  }
  return text
}

/** A module that exports `run`, which runs the example. `shows(value, expected)` compares the two. */
export const moduleOf = ({ text }: Example, scope: Scope): string => {
  const usesEffect = /\byield\*/.test(text)
  const prefix = usesEffect ? "function* example() {\n" : "async function example() {\n"
  const body = withComparisons(text, prefix)
  const words = new Set(body.match(/\b[A-Za-z_]\w*\b/g))
  const own = new Set([...body.matchAll(/\b(?:const|let|function) (\w+)/g)].map(([, name = ""]) => name))
  const taken = new Set([...own, ...(usesEffect ? ["Effect", "storage"] : [])])
  const imports = Object.entries(scope).flatMap(([module, names]) => {
    const used = names.filter((name) => words.has(name) && !taken.has(name))
    for (const name of used) taken.add(name)
    return used.length === 0 ? [] : [`import { ${used.join(", ")} } from "${module}"`]
  })
  return [
    ...imports,
    ...(usesEffect ? ['import { Effect } from "effect"', 'import { storage } from "@petstore/storage"'] : []),
    'import type { Given } from "../../test/given.ts"',
    `export const run = async ({ shows, ${given.filter((name) => words.has(name) && !own.has(name)).join(", ")} }: Given): Promise<void> => {`,
    usesEffect
      ? `await Effect.runPromise(Effect.gen(function* () {\n${body}\n}).pipe(Effect.provide(storage({ adapter: "memory" }, { migrate: true }))))`
      : body,
    "}",
    "",
  ].join("\n")
}
