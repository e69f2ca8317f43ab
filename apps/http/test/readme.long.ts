/** Follows the README step by step as a newcomer, in a copy of the repository in an empty folder. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { it, onTestFinished } from "vitest"
import { follow, root } from "./follow-readme.js"

it("the README leads from an empty folder to the first pet, the first import and the store page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-clone-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
  for (const file of files.split("\0").filter((name) => name !== "")) {
    cpSync(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true, mode: 0 })
  }
  // biome-ignore lint/style/noProcessEnv: the reader has a PATH and npm's settings
  const { PATH, HOME, npm_config_cache: cache } = process.env
  await follow({
    folder,
    environment: { PATH: withoutOurs(PATH ?? ""), HOME, ...(cache && { npm_config_cache: cache }) },
    typed: (command) => command,
  })
})

/** The reader's own PATH, without this repository's programs, which npm puts first when it runs the tests. */
const withoutOurs = (path: string): string =>
  path
    .split(":")
    .filter((folder) => !folder.startsWith(dirname(root)) && !folder.includes("node_modules"))
    .join(":")
