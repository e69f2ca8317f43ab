/** Functions that declare tests, such as those of `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, declare: () => void) => unknown
  readonly it: (name: string, test: () => Promise<void>) => unknown
}

/** vitest is an optional peer dependency. A program without vitest passes its own runner. */
const vitest: TestRunner | undefined = await import("vitest").then(
  ({ describe, it }) => ({ describe: (name, declare) => describe(name, declare), it: (name, test) => it(name, test) }),
  () => undefined,
)

/** The runner of the suite that is being declared. */
let current = vitest

const runner = (): TestRunner => {
  if (current === undefined)
    throw new TypeError(
      "vitest is not installed. Install it, or pass the functions of another runner: { runner: { describe, it } }.",
    )
  return current
}

/** Declares a suite. Runners call the suites' functions later, one after the other. */
export const suite = (chosen: TestRunner | undefined, name: string, declare: () => void): void => {
  current = chosen ?? vitest
  describe(name, declare)
}

export const describe = (name: string, declare: () => void): void => {
  const own = runner()
  own.describe(name, () => {
    current = own
    declare()
  })
}

export const it = (name: string, test: () => Promise<void>): void => void runner().it(name, test)
