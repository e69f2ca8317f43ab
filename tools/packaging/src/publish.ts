/** Publishes tarballs, with the registry and the credential from npm's settings. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Tarball } from "./pack.ts"

const run = promisify(execFile)

/** Sorts each package after the packages that it needs. */
const inOrder = (tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Tarball> => {
  const ordered = new Set<Tarball>()
  const take = (tarball: Tarball): void => {
    const needs = ["dependencies", "peerDependencies"].flatMap((kind) => Object.keys(tarball.manifest[kind] ?? {}))
    for (const other of tarballs) if (needs.includes(other.published.name)) take(other)
    ordered.add(tarball)
  }
  for (const tarball of tarballs) take(tarball)
  return [...ordered]
}

/** Whether npm supports provenance here: only on GitHub Actions and GitLab, if the job can request an identity. */
export const offersProvenance = (environment: NodeJS.ProcessEnv): boolean =>
  environment["ACTIONS_ID_TOKEN_REQUEST_URL"] !== undefined ||
  (environment["GITLAB_CI"] !== undefined && environment["SIGSTORE_ID_TOKEN"] !== undefined)

/** Publishes the versions that the registry lacks, so that a release can be repeated. Throws if npm refuses one. */
export const publishAll = async (
  tarballs: ReadonlyArray<Tarball>,
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> => {
  const options = { env: environment, timeout: 120_000 }
  for (const { published, path } of inOrder(tarballs)) {
    const release = `${published.name}@${published.version}`
    const known = await run("npm", ["view", release, "version", "--loglevel=silent"], options).then(
      ({ stdout }) => stdout.trim() !== "",
      () => false,
    )
    if (!known) {
      const provenance = offersProvenance(environment) ? ["--provenance"] : []
      await run("npm", ["publish", path, "--access", "public", "--loglevel=error", ...provenance], options)
    }
    say(`${release} ${known ? "was already published" : "published"}`)
  }
}
