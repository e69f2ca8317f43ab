/** Creates folders that are removed after the test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Creates a folder, and returns a function that returns the path of a file in that folder. Call it inside a test. */
export const temporaryFolder = (): ((file: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "sqljs-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (file) => join(folder, file)
}
