/** Reads a file from the build's `dist` folder as text. */
import { readFileSync } from "node:fs"

// This module must stay at the top of `src`, so that its relative path to `dist` also works in the bundled program.
export const builtFile = (path: string): string => readFileSync(new URL(`../dist/${path}`, import.meta.url), "utf8")
