import { readFileSync } from "node:fs"

// This module must stay at the top of `src`, so that its relative path to package.json also works in the bundled program.
// Safe: npm requires a version in this package's package.json.
const packageFile = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }

/** The release's version (SemVer 2.0). */
export const { version } = packageFile
