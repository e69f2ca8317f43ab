/**
 * Releases the versions that the manifests name: builds from scratch, packs the packages, then checks and lists the tarballs.
 *
 *     npm run release -- --dry-run   then stops, and reports what would prevent publishing
 *     npm run release                also runs every test, publishes the packages and tags the commit
 *
 * The app's tarball stays in this workspace's `dist/`, because it is distributed as a file (decision 0025).
 */
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { say } from "@petstore/harness/command-line"
import { examineAll } from "./examine.ts"
import { packAll } from "./pack.ts"
import { publishAll } from "./publish.ts"
import { app, publishedPackages, root } from "./published.ts"
import { repositoryOf } from "./repository.ts"

const {
  values: { "dry-run": isTry },
} = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } })

/** The output of a program, or `""` if it fails. */
const printed = (program: string, ...args: ReadonlyArray<string>): string => {
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  return status === 0 ? stdout.trim() : ""
}

const { version } = app
const repository = repositoryOf(printed("git", "remote", "get-url", "origin"))

/** Everything that prevents this clone from publishing, checked before the long build. */
const obstacles = [
  publishedPackages.some((published) => published.version !== version) && "The packages do not all have the same version.",
  globSync(".changeset/*.md", { cwd: root }).length > 0 &&
    "There are unreleased changes: run npm run release:version, review the result and commit it.",
  printed("git", "status", "--porcelain") !== "" && "The tree has uncommitted changes.",
  printed("git", "rev-parse", "--abbrev-ref", "HEAD") !== "main" && "The current branch is not main.",
  printed("git", "tag", "--list", `v${version}`) !== "" && `${version} has already been released: the tag v${version} exists.`,
  repository === undefined &&
    "Others cannot clone from the remote origin, so the packages cannot name it. Run git remote set-url origin URL.",
  printed("npm", "whoami") === "" && "You are not logged in to npm. Run npm login.",
].filter((obstacle) => obstacle !== false)

const script = (...args: ReadonlyArray<string>): void =>
  void execFileSync("npm", ["run", "--silent", ...args], { cwd: root, stdio: "inherit" })

if (!isTry && obstacles.length > 0) {
  for (const obstacle of obstacles) process.stderr.write(`${obstacle}\n`)
  process.exit(1)
}

// Files from an earlier build would be packed too, because turbo adds files to a folder but never removes any.
for (const { folder } of [...publishedPackages, app]) rmSync(join(folder, "dist"), { recursive: true, force: true })
script("build")
if (isTry) script("check", "--", "api")
else {
  script("check")
  script("test")
  script("test:all")
}

const folder = join(import.meta.dirname, "../dist/tarballs")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const tarballs = packAll(folder, { repository })
// What the lockfile holds, the bundled packages among it: a list for those who look for a vulnerable one.
const sbom = join(folder, `petstore-${version}.spdx.json`)
writeFileSync(sbom, execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "spdx"], { cwd: root }))
say(`SBOM: ${sbom}`)
const problems = await examineAll(tarballs)
for (const { published, size, files } of tarballs) {
  say(`\n${published.name} ${published.version}: ${files.length} files, ${size} bytes`)
  for (const file of files) say(`    ${file}`)
}
for (const problem of problems) process.stderr.write(`${problem}\n`)

if (problems.length > 0) process.exitCode = 1
else if (isTry) {
  say(obstacles.length === 0 ? "\nnpm run release would publish these." : "\nnpm run release would publish nothing:")
  for (const obstacle of obstacles) say(`- ${obstacle}`)
} else {
  const ofPackages = tarballs.filter(({ published }) => published !== app)
  // biome-ignore lint/style/noProcessEnv: npm reads the registry and the credential from the environment
  await publishAll(ofPackages, process.env, say)
  execFileSync("git", ["tag", "--annotate", `v${version}`, "--message", version], { cwd: root })
  say(
    `Tagged v${version}. To push the tag, run git push --follow-tags. The app is packed in ${tarballs.find(({ published }) => published === app)?.path}`,
  )
}
