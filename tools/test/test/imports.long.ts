/**
 * `.biome.jsonc` lists the forbidden imports, and forbids cycles. The tables below list imports for which Biome must or must not
 * report an error.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")

const wrong: ReadonlyArray<readonly [why: string, file: string, source: string]> = [
  ["core imports Node", "packages/core/src/pet-1.ts", `import { createHash } from "node:crypto"`],
  ["core imports an adapter", "packages/core/src/pet-2.ts", `import { storage } from "@petstore/storage"`],
  ["core imports a Koa type", "packages/core/src/pet-3.ts", `import type { Context } from "koa"`],
  ["core loads a framework lazily", "packages/core/src/pet-4.ts", `export const load = () => import("koa")`],
  ["core uses vitest outside its contract suites", "packages/core/src/pet-5.ts", `import { it } from "vitest"`],
  ["storage imports an app", "packages/storage/src/storage-1.ts", `import { app } from "petstore"`],
  ["storage re-exports an app", "packages/storage/src/storage-2.ts", `export { app } from "petstore"`],
  ["sqljs imports core", "packages/sqljs/src/index-1.ts", `import type { Pet } from "@petstore/core"`],
  ["a relative path leads to a sibling", "packages/storage/src/storage-3.ts", `import { Pet } from "../../core/src/pet.js"`],
  ["an app imports a tool", "apps/http/src/http/app-1.ts", `import { Http } from "@petstore/harness/http"`],
  ["a lower folder imports a higher one", "apps/http/src/process/worker.ts", `import { Failure } from "../cli/program.js"`],
  ["a folder imports its neighbour", "apps/http/src/telemetry/log.ts", `import { headers } from "../openapi/headers.js"`],
  ["an unlisted folder imports a file", "apps/http/src/surprise/file.ts", `import { config } from "../config.js"`],
  ["the domain imports the HTTP contract", "packages/core/src/pets/pet-8.ts", `import "../contract/error-object.js"`],
  ["the domain imports its own entry", "packages/core/src/page-1.ts", `import type { Page } from "./promise/catalogue.js"`],
  [
    "the HTTP contract imports another entry of the domain",
    "packages/core/src/contract/operations.ts",
    `import "../promise/index.js"`,
  ],
  ["an unlisted package imports Effect", "packages/surprise/src/index.ts", `import { Effect } from "effect"`],
  ["imports form a cycle", "tools/a/src/one.ts", `import { two } from "./two.js"\nexport const one = () => two`],
  ["a cycle goes through a type", "tools/a/src/two.ts", `import type { one } from "./one.js"\nexport type two = typeof one`],
  ["an engine imports a repository", "packages/storage/src/sqlite/engine/a.ts", `import "../pet-repository.js"`],
  ["an engine imports another adapter", "packages/storage/src/sqlite/engine/b.ts", `import "../../postgres/engine/pool.js"`],
]

const right: ReadonlyArray<readonly [why: string, file: string, source: string]> = [
  [
    "core uses effect",
    "packages/core/src/pet-6.ts",
    `import * as Schema from "@effect/schema/Schema"\nimport * as Effect from "effect/Effect"`,
  ],
  ["core's contract suites use vitest", "packages/core/src/testing/pets.ts", `import { it } from "vitest"`],
  [
    "storage uses core and Node",
    "packages/storage/src/storage-4.ts",
    `import { Pet } from "@petstore/core"\nimport "node:sqlite"`,
  ],
  ["an app uses storage", "apps/http/src/main.ts", `import { storage } from "@petstore/storage"\nimport Koa from "koa"`],
  ["a higher folder uses a lower one", "apps/http/src/http/app-2.ts", `import { log } from "../telemetry/log.js"`],
  ["the HTTP contract uses the domain", "packages/core/src/contract/error-object-1.ts", `import "../errors.js"`],
  ["a folder in the domain uses another", "packages/core/src/orders/order-1.ts", `import "../pets/pet.js"`],
  ["an engine uses its neighbour", "packages/storage/src/sqlite/engine/c.ts", `import "./errors.js"`],
  ["an engine uses code that adapters share", "packages/storage/src/sqlite/engine/d.ts", `import "../../private-file.js"`],
  ["a repository uses the engine", "packages/storage/src/sqlite/pet-repository.ts", `import "./engine/database.js"`],
  ["a file uses its neighbour", "packages/core/src/pet-7.ts", `import { Int64 } from "./int64.js"`],
]

// The real path, which Biome prints.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "petstore-imports-")))
const refused = new Set<string>()

beforeAll(() => {
  for (const [, file, source] of [...wrong, ...right]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `${source}\n`)
  }
  writeFileSync(
    join(folder, ".biome.jsonc"),
    readFileSync(join(root, ".biome.jsonc"), "utf8").replace('"enabled": true', '"enabled": false'),
  )
  const rules = ["style/noRestrictedImports", "suspicious/noImportCycles"].map((rule) => `--only=${rule}`)
  const biome = join(root, "node_modules/.bin/biome")
  const { stdout } = spawnSync(biome, ["lint", "--reporter=github", "--max-diagnostics=none", ...rules], {
    cwd: folder,
    encoding: "utf8",
  })
  for (const [, file = ""] of stdout.matchAll(/file=([^,]+),/g)) refused.add(relative(folder, file))
})

afterAll(() => rmSync(folder, { recursive: true }))

describe("Biome", () => {
  it.each(wrong)("reports an error if %s", (_why, file) => {
    expect(refused).toContain(file)
  })

  it.each(right)("reports no error if %s", (_why, file) => {
    expect(refused).not.toContain(file)
  })
})
