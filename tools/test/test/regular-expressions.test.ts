import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")

interface Literal {
  readonly file: string
  readonly pattern: RegExp
}

/** Files whose expressions match only text from the program, its operator or the page's reader: SQL, settings, samples, guides. */
const ofOurselves =
  /\/testing\/|^packages\/sqljs\/|\/(?:config|settings|database-url)\.ts$|^packages\/client\/src\/client\.ts$|^apps\/docs\/src\/(?:highlight|guide-page)\.ts$/

/** Every regular-expression literal that matches untrusted text. */
const literals: ReadonlyArray<Literal> = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root })
  .filter((file) => !ofOurselves.test(file))
  .flatMap((file) => {
    const found: Array<Literal> = []
    const visitor = new Visitor({
      Literal: (node) => {
        if ("regex" in node && node.regex !== null && node.regex !== undefined) {
          found.push({ file, pattern: new RegExp(node.regex.pattern, node.regex.flags) })
        }
      },
    })
    visitor.visit(parseSync(file, readFileSync(join(root, file), "utf8")).program)
    return found
  })

/** The letters for hostile texts: the letters in a pattern, and examples of character classes. */
const lettersOf = ({ source }: RegExp): ReadonlyArray<string> => [
  ...new Set(
    [...source.replace(/\\u\{?[0-9a-f]+\}?|\\./gi, ""), ...'a0 \t;=",/-.\n\u2028'].filter((letter) => letter.length === 1),
  ),
]

const lengths = { short: 500, long: 4_000 }

/**
 * How long a pattern takes on a text, in ms: the best of a few tries, so that only the pattern itself can cause a high value. A
 * pattern that took less than `enough` is not tried again.
 */
const timeOf = (pattern: RegExp, text: string, mostTries: number, enough = 0): number => {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < mostTries && best >= enough; tries += 1) {
    pattern.lastIndex = 0
    const startedAt = performance.now()
    pattern.exec(text)
    best = Math.min(best, performance.now() - startedAt)
  }
  return best
}

/** Only times longer than this, in ms, are measured again. */
const noticeable = 1

/** On a text eight times as long, a linear pattern takes 8 times as long, a quadratic one 64 times. The limit is between. */
const mostSlower = 30

/** How many times longer a pattern takes on a text eight times as long. */
const growthOf = (pattern: RegExp, textOf: (length: number) => string, tries: number): number =>
  timeOf(pattern, textOf(lengths.long), tries) / Math.max(timeOf(pattern, textOf(lengths.short), tries), 0.001)

/**
 * A text on which a pattern takes more than linear time. Each tried text has a beginning, then one or two letters many times, and
 * then a character at which the match fails.
 */
const slowTextOf = (pattern: RegExp, beginnings: ReadonlyArray<string>): string | undefined => {
  const letters = lettersOf(pattern)
  const repeated = [...letters, ...letters.flatMap((one) => letters.map((other) => one + other))]
  for (const beginning of beginnings) {
    for (const part of repeated) {
      for (const end of ["\u0000", "\n"]) {
        const textOf = (length: number) => beginning + part.repeat(length / part.length) + end
        if (timeOf(pattern, textOf(lengths.long), 3, noticeable) < noticeable) continue
        // A busy machine can delay three tries, but hardly thirteen.
        if (growthOf(pattern, textOf, 3) > mostSlower && growthOf(pattern, textOf, 10) > mostSlower) return beginning + part
      }
    }
  }
  return undefined
}

/** Beginnings of texts: empty, or a pattern's fixed beginning, without which a match would fail immediately. */
const beginningsOf = ({ source }: RegExp): ReadonlyArray<string> => {
  const [, fixed = ""] = /^\^((?:\\.|[^\\[\](){}*+?|.^$])*)/.exec(source) ?? []
  const text = fixed.replace(/\\(.)/g, "$1")
  return [...new Set(["", text, `${text}0`, `${text}"`])]
}

describe("a regular expression", () => {
  it("is found in the sources", () => {
    expect(literals.length).toBeGreaterThan(20)
  })

  it("is detected if it takes quadratic time", () => {
    expect(slowTextOf(/^a(?: +(.*))?$/, ["a"])).toBe("a ")
  })

  it.each(literals)("takes linear time: $pattern in $file", ({ pattern }) => {
    expect(slowTextOf(pattern, beginningsOf(pattern))).toBeUndefined()
  })
})
