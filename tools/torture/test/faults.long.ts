/** Runs `npm run torture` on several stores, and with every mutant of SQLite. Fails without `strace`. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { mutantNames } from "../src/stores.ts"
import { nothingLost } from "./nothing-lost.ts"

const main = join(import.meta.dirname, "../src/main.ts")

/** Runs the command and returns its last line. Fails, and shows the complete output, unless the command exits with code 0. */
const lastLine = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--seed", "20", ...args])
  return stdout.trimEnd().split("\n").at(-1) ?? ""
}

it("the service loses nothing in rounds with every fault on SQLite", async () => {
  expect(await lastLine("--rounds", "28", "--require", "strace")).toMatch(nothingLost)
})

it("the service loses nothing if PostgreSQL refuses writes, hangs, warns or cancels a wait, or if the clock moves", async () => {
  const faults = ["database takes no writes", "database says nothing", "database warns", "clock", "standby wait is cancelled"]
  const chosen = faults.flatMap((fault) => ["--fault", fault])
  expect(await lastLine("--rounds", "5", "--store", "postgres", ...chosen)).toMatch(nothingLost)
})

it.each(mutantNames("sqlite"))("the kit catches an adapter that is broken on purpose: %s", async (mutant) => {
  // The run stops after the round that catches the mutant, usually one of the first.
  expect(await lastLine("--rounds", "100", "--mutant", mutant)).toBe("1 caught, 0 escaped")
})
