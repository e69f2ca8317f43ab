import { expect, it } from "vitest"
import { applied, likelihood, mutantsOf, shuffled } from "../src/mutants.ts"

const file = "packages/core/src/page.ts"

it("each mutant changes one operator, negates one condition or removes one statement", () => {
  const source = 'import "x"\nif (a < b) f(c && d)\nconst e = g ? "+" : h + 1\n'
  expect(mutantsOf(file, source).map((mutant) => applied(mutant, source).split("\n").slice(1, 3))).toEqual([
    ["if (!(a < b)) f(c && d)", 'const e = g ? "+" : h + 1'],
    ["if (a <= b) f(c && d)", 'const e = g ? "+" : h + 1'],
    ["if (a < b) ;", 'const e = g ? "+" : h + 1'],
    ["if (a < b) f(c || d)", 'const e = g ? "+" : h + 1'],
    ["if (a < b) f(c && d)", 'const e = !(g) ? "+" : h + 1'],
    ["if (a < b) f(c && d)", 'const e = g ? "+" : h - 1'],
  ])
})

it("shuffled alternates between workspaces and kinds, in the same order for the same seed", () => {
  const source = "if (a) b()\nif (c) d()\nif (e) f()\n"
  const all = [...mutantsOf(file, source), ...mutantsOf("apps/http/src/app.ts", source)]
  const order = shuffled(all, 7)
  expect(shuffled(all, 7)).toEqual(order)
  expect(shuffled(all, 8)).not.toEqual(order)
  expect(new Set(order)).toEqual(new Set(all))
  expect(new Set(order.slice(0, 4).map((mutant) => `${mutant.file} ${mutant.kind}`)).size).toBe(4)
})

it("likelihood puts the test named after the file first, then the other tests in its workspace", () => {
  const tests = ["apps/http/test/log.test.ts", "packages/core/test/page.unit.ts", "packages/core/test/text.unit.ts"]
  expect(tests.toSorted((one, other) => likelihood(other, file) - likelihood(one, file))).toEqual([tests[1], tests[2], tests[0]])
})
