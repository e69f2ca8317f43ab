import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { circles, violations } from "../src/boundaries.ts"

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
    ["a lower room imports a higher one", "apps/http/src/process/worker.ts", `import type { Failure } from "../cli/program.js"`],
    ["a room imports its neighbour", "apps/http/src/telemetry/log.ts", `import { headers } from "../openapi/headers.js"`],
    ["a room is not in the table", "apps/http/src/surprise/file.ts", `import { config } from "../config.js"`],
    ["the domain learns what HTTP adds", "packages/core/src/pets/pet.ts", `import "../contract/error-object.js"`],
    ["the domain imports its own door", "packages/core/src/page.ts", `import type { Page } from "./promise/inventory.js"`],
    ["what HTTP adds imports a door of the domain", "packages/core/src/contract/operations.ts", `import "../promise/index.js"`],
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
    ["a higher room uses a lower one", "apps/http/src/http/app.ts", `import { log } from "../telemetry/log.js"`],
    ["what HTTP adds uses the domain", "packages/core/src/contract/error-object.ts", `import "../errors.js"`],
    ["a folder of the domain uses another", "packages/core/src/orders/order.ts", `import "../pets/pet.js"`],
    ["a file uses its neighbour", "packages/core/src/pet.ts", `import { Int64 } from "./int64.js"`],
  ]
  it.each(right)("allows that %s", (_why, file, source) => {
    expect(violations(file, source)).toStrictEqual([])
  })
})

describe("the domain of core", () => {
  const root = join(import.meta.dirname, "../../../packages/core/src")
  const files = globSync("**/*.ts", { cwd: root }).filter((file) => !/^(?:contract|promise|testing)\//.test(file))

  it("mentions nothing of HTTP", () => {
    expect(files.length).toBeGreaterThan(20)
    const ofHttp =
      /\bHTTP\b|\b[Hh]eaders?\b|\bstatus code|"\/v1|\b(?:GET|POST|PUT|DELETE) \/|\bAuthorization\b|\bBearer\b|\bRFC (?:6750|9110|9745)\b/
    for (const file of files) expect(readFileSync(join(root, file), "utf8"), file).not.toMatch(ofHttp)
  })
})

describe("circles", () => {
  it("are found, types included, and told once", () => {
    const sources = new Map([
      ["a/b/src/one.ts", `import type { Two } from "./two.js"`],
      ["a/b/src/two.ts", `export { three } from "./three.ts"`],
      ["a/b/src/three.ts", `export const load = () => import("./one.js")`],
      ["a/b/src/four.ts", `import "./one.js"\nimport "node:fs"`],
    ])
    expect(circles(sources)).toStrictEqual([["a/b/src/one.ts", "a/b/src/two.ts", "a/b/src/three.ts", "a/b/src/one.ts"]])
  })

  it("are none where imports only branch and meet again", () => {
    const sources = new Map([
      ["a/b/src/one.ts", `import "./two.js"\nimport "./three.js"`],
      ["a/b/src/two.ts", `import "./four.js"`],
      ["a/b/src/three.ts", `import "./four.js"`],
      ["a/b/src/four.ts", ""],
    ])
    expect(circles(sources)).toStrictEqual([])
  })
})
