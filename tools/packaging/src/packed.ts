/**
 * Fails when what would be published is not as it should be.
 *
 *     node tools/packaging/src/packed.ts          prints what is wrong
 *     node tools/packaging/src/packed.ts --list   prints every packed file, and the sizes
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { examine } from "./examine.ts"
import { packAll } from "./pack.ts"

const list = process.argv.includes("--list")
const say = (line: string): void => void (list && process.stdout.write(`${line}\n`))

const folder = mkdtempSync(join(tmpdir(), "petstore-packed-"))
try {
  const tarballs = packAll(folder)
  for (const { published, files, size } of tarballs) {
    say(`${published.name}: ${files.length} files, ${size} bytes`)
    for (const file of files) say(`    ${file}`)
  }
  const bundled = (specifier: string, bytes: number): void => say(`${specifier}: ${bytes} bytes bundled`)
  const problems = (await Promise.all(tarballs.map((tarball) => examine(tarball, bundled)))).flat()
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
