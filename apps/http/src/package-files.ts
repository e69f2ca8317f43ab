import { readFileSync } from "node:fs"

// This module must stay at the top of `src`, so that its relative paths also work in the bundled program.
const textOf = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

export const builtFile = (path: string): string => textOf(`dist/${path}`)

/** The release's version (SemVer 2.0). Safe: npm requires a version in this package's package.json. */
export const { version } = JSON.parse(textOf("package.json")) as { readonly version: string }
