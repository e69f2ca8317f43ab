/** Installs other people's programs for one test. They need another TypeScript than ours, so they are not part of the workspace. */
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"

/** Returns the folder, in which `run` starts an installed program. Packages have exact versions: `openapi-typescript@7.13.0`. */
export const installed = (...packages: ReadonlyArray<string>) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }')
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], { cwd: folder, stdio: "pipe" })
  return {
    folder,
    /** Starts a program, and returns what it writes. */
    run: (program: string, ...args: ReadonlyArray<string>): string => {
      const file = join(folder, "node_modules", program)
      const { stdout, stderr } = spawnSync(process.execPath, [file, ...args], { cwd: folder, encoding: "utf8" })
      return stdout + stderr
    },
  }
}
