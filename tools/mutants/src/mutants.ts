/** Finds small faults in a source file, orders them by a seed, and rates how likely each test is to detect a fault. */
import { basename, dirname } from "node:path"
import { Random } from "@petstore/harness/random"
import { parseSync, Visitor } from "oxc-parser"

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

type Range = Pick<Mutant, "start" | "end">

/** A file's mutants. Each one replaces an operator, negates a condition or removes a statement. */
export const mutantsOf = (file: string, source: string): ReadonlyArray<Mutant> => {
  const found: Array<Mutant> = []
  const add = (kind: Mutant["kind"], { start, end }: Range, after: string): void => {
    const line = source.slice(0, start).split("\n").length
    found.push({ file, line, kind, start, end, before: source.slice(start, end), after })
  }
  const replace = ({ left, operator }: { readonly left: Range; readonly operator: string }): void => {
    const start = source.indexOf(operator, left.end)
    const other = operators[operator]
    if (other !== undefined) add("operator", { start, end: start + operator.length }, other)
  }
  const negate = ({ test }: { readonly test: Range }): void => add("condition", test, `!(${source.slice(test.start, test.end)})`)
  new Visitor({
    BinaryExpression: replace,
    LogicalExpression: replace,
    IfStatement: negate,
    ConditionalExpression: negate,
    WhileStatement: negate,
    ExpressionStatement: (node) => {
      if (typeof node.directive !== "string") add("statement", node, ";")
    },
  }).visit(parseSync(file, source).program)
  return found
}

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

/** How likely a test is to detect a fault in a file, judged by the names and folders of both. 0 means unlikely. */
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
