/** Makes the tarballs of the published packages, which are proved and published as they are. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type PublishedPackage, publishedPackages } from "./published.ts"

/**
 * What every published package asks of whoever installs it: the lowest Node on which its tests were seen to pass.
 * Only the packed manifest says so. In a clone the packages run on the Node that the repository pins, and npm, which
 * may run on an older one, would warn of them without reason.
 */
export const engines = { node: ">=22.16" } as const

/** A packed package. */
export interface Tarball {
  readonly published: PublishedPackage
  /** Absolute path of the `.tgz`. */
  readonly path: string
  /** Compressed size in bytes. */
  readonly size: number
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
  /** `package.json` as it is packed. */
  readonly manifest: Readonly<Record<string, unknown>>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Copies into a folder what npm packs of a package, and gives its manifest. */
const stage = ({ folder }: PublishedPackage, into: string): Tarball["manifest"] => {
  const manifest = { ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), engines }
  const paths = ["LICENSE", ...manifest.files].filter((path) => !path.startsWith("!"))
  for (const path of paths) cpSync(join(folder, path), join(into, path), { recursive: true })
  writeFileSync(join(into, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return manifest
}

/** Writes one tarball for each published package into a folder. They must have been built. */
export const packAll = (folder: string): ReadonlyArray<Tarball> => {
  const staging = mkdtempSync(join(tmpdir(), "petstore-staging-"))
  try {
    const staged = publishedPackages.map((published, index) => {
      const place = join(staging, String(index))
      return { published, place, manifest: stage(published, place) }
    })
    const printed = execFileSync(
      "npm",
      [
        "pack",
        "--json",
        "--ignore-scripts",
        "--loglevel=error",
        "--pack-destination",
        folder,
        ...staged.map(({ place }) => place),
      ],
      { cwd: staging, encoding: "utf8" },
    )
    // An array, or from npm 12 on an object by name.
    const all: ReadonlyArray<Packed> = Object.values(JSON.parse(printed))
    return staged.map(({ published, manifest }) => {
      const packed = all.find(({ name }) => name === published.name)
      if (packed === undefined) throw new Error(`npm packed no ${published.name}`)
      const { filename, size, files } = packed
      return { published, path: join(folder, filename), size, files: files.map(({ path }) => path).sort(), manifest }
    })
  } finally {
    rmSync(staging, { recursive: true })
  }
}
