/**
 * Creates the next version from the changesets: their texts become a section of CHANGELOG.md, breaking changes first. The
 * `changeset` command then bumps the versions of all packages and deletes the changesets.
 *
 *     npm run release:version
 */
import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { root } from "./published.ts"

/** The output of `changeset status --output`. */
export interface Status {
  readonly changesets: ReadonlyArray<{
    readonly summary: string
    readonly releases: ReadonlyArray<{ readonly type: string }>
  }>
  readonly releases: ReadonlyArray<{ readonly name: string; readonly newVersion: string }>
}

const kinds = ["major", "minor", "patch"]

/** The changelog with a section for the version that these changesets create, before the sections of earlier versions. */
export const withSection = (changelog: string, { changesets, releases }: Status): string => {
  const version = releases.find(({ name }) => name === "petstore")?.newVersion
  if (version === undefined) throw new Error("There is no changeset. Run npm run changeset.")
  const rank = (types: ReadonlyArray<{ readonly type: string }>): number =>
    Math.min(...types.map(({ type }) => kinds.indexOf(type)).filter((place) => place >= 0))
  const lines = changesets
    .toSorted((one, other) => rank(one.releases) - rank(other.releases))
    .map(({ summary }) => `- ${summary.trim().replaceAll("\n", "\n  ")}\n`)
  const [before, ...sections] = changelog.split(/^(?=## )/m)
  return [before, `## ${version}\n\n${lines.join("")}\n`, ...sections].join("")
}

if (import.meta.main) {
  const changeset = (...args: ReadonlyArray<string>): void =>
    void execFileSync("npx", ["--no", "--", "changeset", ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-changelog-"))
  const status = join(folder.path, "status.json")
  // Changesets resolves the path relative to the repository root.
  changeset("status", `--output=${relative(root, status)}`)
  const path = join(root, "CHANGELOG.md")
  writeFileSync(path, withSection(readFileSync(path, "utf8"), JSON.parse(readFileSync(status, "utf8"))))
  changeset("version")
  execFileSync("npm", ["install", "--package-lock-only", "--loglevel=error"], { cwd: root, stdio: "inherit" })
}
