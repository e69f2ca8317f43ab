import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Creates a folder that is removed after the current test. Returns a function from a file's name to its path. */
export const temporaryFolder = (): ((file: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "sqljs-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (file) => join(folder, file)
}
