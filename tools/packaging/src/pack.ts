/** Packs the published packages as `npm publish` would. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { type PublishedPackage, publishedPackages, root } from "./published.ts"

/** A packed package. */
export interface Tarball {
  readonly published: PublishedPackage
  /** Absolute path of the `.tgz`. */
  readonly path: string
  /** Compressed size in bytes. */
  readonly size: number
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Writes one tarball for each published package into a folder. They must have been built. */
export const packAll = (folder: string): ReadonlyArray<Tarball> => {
  const workspaces = publishedPackages.flatMap(({ name }) => ["--workspace", name])
  const printed = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder, ...workspaces],
    { cwd: root, encoding: "utf8" },
  )
  // An array, or from npm 12 on an object by name.
  const all: ReadonlyArray<Packed> = Object.values(JSON.parse(printed))
  return publishedPackages.map((published) => {
    const packed = all.find(({ name }) => name === published.name)
    if (packed === undefined) throw new Error(`npm packed no ${published.name}`)
    const { filename, size, files } = packed
    return { published, path: join(folder, filename), size, files: files.map(({ path }) => path).sort() }
  })
}
