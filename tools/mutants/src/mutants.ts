/** Small faults in a source file, a seeded selection of them, and the tests that are likely to detect a fault. */
import { basename, dirname } from "node:path"
import { Random } from "@petstore/harness/random"
import { parseSync } from "oxc-parser"

/** One fault, which replaces the text of a file from `start` to `end`. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly kind: "operator" | "condition" | "statement"
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

/** The replacement of each operator. `===` and `!==` are negated. */
const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
}

/** The relevant parts of a syntax tree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value

const visit = (value: unknown, see: (node: Node) => void): void => {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  else if (isNode(value)) {
    see(value)
    for (const member of Object.values(value)) visit(member, see)
  }
}

/** Every possible fault in a file: a replaced operator, a negated condition, a removed statement. */
export const mutantsOf = (file: string, source: string): ReadonlyArray<Mutant> => {
  const found: Array<Mutant> = []
  const add = (kind: Mutant["kind"], { start, end }: { readonly start: number; readonly end: number }, after: string): void => {
    const line = source.slice(0, start).split("\n").length
    found.push({ file, line, kind, start, end, before: source.slice(start, end), after })
  }
  const negate = (condition: unknown): void => {
    if (isNode(condition)) add("condition", condition, `!(${source.slice(condition.start, condition.end)})`)
  }
  visit(parseSync(file, source).program, (node) => {
    const { left, right, operator } = node
    if (isNode(left) && isNode(right) && typeof operator === "string" && operators[operator] !== undefined) {
      const start = source.indexOf(operator, left.end)
      add("operator", { start, end: start + operator.length }, operators[operator])
    }
    if (node.type === "IfStatement" || node.type === "ConditionalExpression" || node.type === "WhileStatement")
      negate(node["test"])
    if (node.type === "ExpressionStatement" && typeof node["directive"] !== "string") add("statement", node, ";")
  })
  return found
}

/** The source with the fault applied. */
export const applied = ({ start, end, after }: Mutant, source: string): string =>
  source.slice(0, start) + after + source.slice(end)

/** The mutants, in a seeded random order that alternates between workspaces and kinds. */
export const shuffled = (all: ReadonlyArray<Mutant>, seed: number): ReadonlyArray<Mutant> => {
  const random = new Random(seed)
  const groups = Map.groupBy(all, ({ file, kind }) => `${kind} ${file.split("/").slice(0, 2).join("/")}`)
  return [...groups.keys()]
    .sort()
    .flatMap((group) => random.shuffle(groups.get(group) ?? []).map((mutant, round) => ({ mutant, round })))
    .sort((one, other) => one.round - other.round)
    .map(({ mutant }) => mutant)
}

const words = (path: string): ReadonlySet<string> =>
  new Set(
    basename(path)
      .split(/[.-]/)
      .slice(0, -1)
      .map((word) => word.replace(/s$/, "")),
  )

/** How likely a test is to detect a fault in a file, judged by their names and locations. 0 means unlikely. */
export const likelihood = (test: string, file: string): number => {
  const inFile = words(file)
  const common = [...words(test)].filter((word) => inFile.has(word)).length
  const [workspace, folder] = [file.split("/").slice(0, 2).join("/"), dirname(file).replace("/src", "/test")]
  return (
    4 * common +
    (test.startsWith(`${folder}/`) ? 2 : 0) +
    (test.startsWith(`${workspace}/`) ? 1 : 0) +
    (/\.unit\./.test(test) ? 1 : 0)
  )
}
