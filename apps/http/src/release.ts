/**
 * The release of this program.
 *
 * This module stays at the top of `src`: from there and from the program in `dist` the path is the same.
 */
import { readFileSync } from "node:fs"

// Safe: npm requires a version in the package.json of this package.
const packageFile = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }

/** The version of the release (SemVer 2.0). */
export const { version } = packageFile
