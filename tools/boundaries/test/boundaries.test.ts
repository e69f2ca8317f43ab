import { describe, expect, it } from "vitest"
import { violations } from "../src/boundaries.ts"

describe("boundaries", () => {
  const wrong: ReadonlyArray<readonly [why: string, file: string, source: string]> = [
    ["core imports Node", "packages/core/src/pet.ts", `import { createHash } from "node:crypto"`],
    ["core imports an adapter", "packages/core/src/pet.ts", `import { storage } from "@petstore/storage"`],
    ["core imports a type of Koa", "packages/core/src/pet.ts", `import type { Context } from "koa"`],
    ["core loads a framework lazily", "packages/core/src/pet.ts", `export const load = () => import("koa")`],
    ["core uses vitest outside of its contract suites", "packages/core/src/pet.ts", `import { it } from "vitest"`],
    ["storage imports an app", "packages/storage/src/storage.ts", `import { app } from "petstore"`],
    ["storage re-exports an app", "packages/storage/src/storage.ts", `export { app } from "petstore"`],
    ["sqljs learns of pets", "packages/sqljs/src/index.ts", `import type { Pet } from "@petstore/core"`],
    ["a relative path reaches into a sibling", "packages/storage/src/storage.ts", `import { Pet } from "../../core/src/pet.js"`],
    ["a workspace is not in the table", "packages/surprise/src/index.ts", ""],
  ]
  it.each(wrong)("refuses when %s", (_why, file, source) => {
    expect(violations(file, source)).toHaveLength(1)
  })

  const right: ReadonlyArray<readonly [why: string, file: string, source: string]> = [
    ["core uses effect", "packages/core/src/pet.ts", `import { Schema } from "@effect/schema"\nimport { Effect } from "effect"`],
    ["core's contract suites use vitest", "packages/core/src/testing/pet-repository-contract.ts", `import { it } from "vitest"`],
    [
      "storage uses core and Node",
      "packages/storage/src/storage.ts",
      `import { Pet } from "@petstore/core"\nimport "node:sqlite"`,
    ],
    ["an app uses storage", "apps/http/src/main.ts", `import { storage } from "@petstore/storage"\nimport Koa from "koa"`],
    ["a file uses its neighbour", "packages/core/src/pet.ts", `import { Int64 } from "./int64.js"`],
  ]
  it.each(right)("allows that %s", (_why, file, source) => {
    expect(violations(file, source)).toStrictEqual([])
  })
})
