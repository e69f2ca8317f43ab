/** A folder that is gone when the test is over. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Makes a folder and answers how to name files in it. Call it inside a test. */
export const temporaryFolder = (): ((file: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "sqljs-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (file) => join(folder, file)
}
