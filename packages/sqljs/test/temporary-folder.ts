/** A folder that is removed after the test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Makes a folder, and returns a function that names files in it. Call it inside a test. */
export const temporaryFolder = (): ((file: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "sqljs-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (file) => join(folder, file)
}
