/**
 * Reads a file that the build put into `dist`, as text.
 *
 * This module stays at the top of `src`: from there and from the program in `dist` the path is the same.
 */
import { readFileSync } from "node:fs"

export const builtFile = (path: string): string => readFileSync(new URL(`../dist/${path}`, import.meta.url), "utf8")
