/** The imports in a package's declarations. Programs that compile against the package need those types. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Every specifier in a declaration file, and in the files of the same package that it imports. */
export const declaredImports = (declarations: string, seen: Set<string> = new Set()): ReadonlyArray<string> => {
  if (seen.has(declarations) || !existsSync(declarations)) return []
  seen.add(declarations)
  const text = readFileSync(declarations, "utf8")
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier)
  return named.flatMap((specifier) =>
    specifier.startsWith(".")
      ? declaredImports(join(dirname(declarations), specifier.replace(/\.js$/, ".d.ts")), seen)
      : [specifier],
  )
}

export const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
