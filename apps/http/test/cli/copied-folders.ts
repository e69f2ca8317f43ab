/** Folders that take several commands to prepare. They are prepared once for all tests in a file, and copied for each test. */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { afterAll } from "vitest"

/** Returns a function that copies the folder that `make` has prepared. `make` runs once per argument. */
export const copiesOf = <Given, Made>(make: (folder: string, given: Given) => Promise<Made>) => {
  const made = new Map<Given, { readonly origin: string; readonly result: Promise<Made> }>()
  afterAll(() => {
    for (const { origin } of made.values()) rmSync(origin, { recursive: true })
  })
  const makeOnce = (given: Given) => {
    const origin = mkdtempSync(join(tmpdir(), "petstore-copied-"))
    const entry = { origin, result: make(origin, given) }
    made.set(given, entry)
    return entry
  }
  return async (given: Given): Promise<{ readonly folder: string; readonly made: Made }> => {
    const { origin, result } = made.get(given) ?? makeOnce(given)
    const folder = temporaryFolder()
    const copied = await result
    cpSync(origin, folder, { recursive: true })
    return { folder, made: copied }
  }
}
