/** The published packages with their entries, and the app, which is packed but not published. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

export const root = join(import.meta.dirname, "../../..")

export interface PublishedPackage {
  /** `@petstore/core` */
  readonly name: string
  readonly version: string
  /** Absolute path of its folder. */
  readonly folder: string
  readonly entries: ReadonlyArray<Entry>
}

export interface Entry {
  /** What an importer writes: `@petstore/core/testing`. */
  readonly specifier: string
  /** `index` for the entry `.`, otherwise its path: `testing`. */
  readonly name: string
  /** Absolute path of its declarations. */
  readonly declarations: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>
}

const packageIn = (path: string): PublishedPackage & { readonly isPrivate: boolean } => {
  const folder = join(root, dirname(path))
  const manifest: Manifest = JSON.parse(readFileSync(join(root, path), "utf8"))
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]): ReadonlyArray<Entry> => {
    if (typeof target === "string") return []
    const name = subpath === "." ? "index" : subpath.slice(2)
    return [{ specifier: manifest.name + subpath.slice(1), name, declarations: join(folder, target.types) }]
  })
  return { name: manifest.name, version: manifest.version, folder, entries, isPrivate: manifest.private === true }
}

/** Every workspace under `packages/` that is not private, sorted by name. */
export const publishedPackages: ReadonlyArray<PublishedPackage> = globSync("packages/*/package.json", { cwd: root })
  .sort()
  .map(packageIn)
  .filter(({ isPrivate }) => !isPrivate)

/** The service: a program without entries, distributed as a file. */
export const app: PublishedPackage = packageIn("apps/http/package.json")
