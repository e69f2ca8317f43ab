import { execFileSync } from "node:child_process"
import { cpSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { app, type PublishedPackage, publishedPackages, root } from "./published.ts"

/** The lowest Node that passes the tests. Only packed manifests name it, because npm on an older Node would warn in a clone. */
export const engines = { node: ">=22.16" } as const

export interface Tarball {
  readonly published: PublishedPackage
  /** Absolute path of the `.tgz`. */
  readonly path: string
  /** Compressed size in bytes. */
  readonly size: number
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
  /** `package.json` as packed. */
  readonly manifest: Readonly<Record<string, unknown>>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** What to pack, and the repository's address. Only packed manifests contain the address, because a clone has a remote. */
interface Packing {
  readonly packages?: ReadonlyArray<PublishedPackage>
  readonly repository?: string | undefined
}

/** The repository's documents that are packed, by their names in the package. Docstrings in core cite the specification. */
const documentsOf = ({ name }: PublishedPackage): Readonly<Record<string, string>> => ({
  "CHANGELOG.md": "CHANGELOG.md",
  "STABILITY.md": "docs/stability.md",
  ...(name === "@petstore/core" && { "SPECIFICATION.md": "docs/specification.md" }),
})

/** Relative links in a document are broken in a package, so only their text is kept. */
const withoutLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, "$1")

/** Copies the packed files of a package into a folder, and returns its manifest. */
const stage = (published: PublishedPackage, into: string, repository: string | undefined): Tarball["manifest"] => {
  const { folder } = published
  const directory = relative(root, folder)
  const page = repository?.replace(/^git\+|\.git$/g, "")
  const place =
    repository === undefined
      ? {}
      : {
          homepage: `${page}/tree/main/${directory}#readme`,
          bugs: `${page}/issues`,
          repository: { type: "git", url: repository, directory },
        }
  // Scripts and devDependencies are useful only in the repository, and name private packages.
  const { scripts: _, devDependencies: __, ...own } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const documents = Object.entries(documentsOf(published))
  const manifest = { ...own, files: [...own.files, ...documents.map(([name]) => name)], engines, ...place }
  const paths = ["LICENSE", "README.md", ...own.files].filter((path) => !path.startsWith("!"))
  for (const path of paths) cpSync(join(folder, path), join(into, path), { recursive: true })
  for (const [name, path] of documents) writeFileSync(join(into, name), withoutLinks(readFileSync(join(root, path), "utf8")))
  writeFileSync(join(into, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return manifest
}

/** Writes one tarball per package into a folder, by default for all packages that leave the repository. They must be built. */
export const packAll = (folder: string, { packages, repository }: Packing = {}): ReadonlyArray<Tarball> => {
  using staging = mkdtempDisposableSync(join(tmpdir(), "petstore-staging-"))
  const staged = (packages ?? [...publishedPackages, app]).map((published, index) => {
    const place = join(staging.path, String(index))
    return { published, place, manifest: stage(published, place, repository) }
  })
  const options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder]
  const printed = execFileSync("npm", ["pack", ...options, ...staged.map(({ place }) => place)], {
    cwd: staging.path,
    encoding: "utf8",
  })
  // npm prints an array, and from npm 12 on an object with the names as keys.
  const all: ReadonlyArray<Packed> = Object.values(JSON.parse(printed))
  return staged.map(({ published, manifest }) => {
    const packed = all.find(({ name }) => name === published.name)
    if (packed === undefined) throw new Error(`npm did not pack ${published.name}`)
    const { filename, size, files } = packed
    return { published, path: join(folder, filename), size, files: files.map(({ path }) => path).sort(), manifest }
  })
}
