/** Every example in the docstrings of core and the client compiles, runs and returns the values that it shows. */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@petstore/client"
import { createKey, petstore as operate, TemporaryStore } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { openPetstore } from "@petstore/storage/promise"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { root } from "../src/published.ts"
import { examplesOf, moduleOf, type Scope } from "./docstring-examples.ts"
import type { Given } from "./given.ts"

const core = await import("@petstore/core")
const promise = await import("@petstore/core/promise")
const shared: Scope = {
  "@petstore/core": Object.keys(core),
  "@petstore/core/contract": Object.keys(await import("@petstore/core/contract")),
  "@petstore/core/promise": Object.keys(promise),
  "@petstore/core/layer": Object.keys(await import("@petstore/core/layer")),
  "@petstore/core/exact-json": Object.keys(await import("@petstore/core/exact-json")),
  "@petstore/core/testing": Object.keys(await import("@petstore/core/testing")),
  "@petstore/storage": Object.keys(await import("@petstore/storage")),
  "@petstore/client": Object.keys(await import("@petstore/client")),
  effect: ["Effect", "Either", "Layer", "Option", "Stream"],
}

/** Two entries have names in common. An example uses the names from its own entry. */
const scopeOf = (place: string): Scope => {
  const own = place.includes("/promise/") ? "@petstore/core/promise" : place.includes("/client/") ? "@petstore/client" : ""
  return own === "" ? shared : { [own]: shared[own] ?? [], ...shared }
}

/** This folder is inside the workspace, so that the examples find their dependencies. It is never committed. */
const folder = join(import.meta.dirname, "../dist/docstring-examples")
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const examples = ["packages/core", "packages/client"].flatMap(examplesOf).map((example, index) => {
  const file = join(folder, `${index}.ts`)
  writeFileSync(file, `// ${example.place}\n${moduleOf(example, scopeOf(example.place))}`)
  return { ...example, load: (): Promise<{ readonly run: (given: Given) => Promise<void> }> => import(file) }
})

const isSuite = ({ place }: { readonly place: string }) => place.includes("/src/testing/")
const shows: Given["shows"] = (value, expected) => expect(value).toStrictEqual(expected)

/** What ends an example that follows the changes. */
const saved = new Error("saved")

describe("docstring examples", () => {
  const store = new TemporaryStore()
  let serving: Service
  let given: Given

  beforeAll(async () => {
    // The examples print for their readers, not for this test.
    vi.spyOn(console, "log").mockImplementation(() => undefined)
    await operate(store.environment, "accounts", "create", "examples")
    const { key: apiKey } = await createKey(store.environment, "examples")
    serving = await startService(store.environment)
    const baseUrl = serving.baseUrl.endsWith("/v1") ? serving.baseUrl : `${new URL(serving.baseUrl).origin}/v1`
    const petstore = createClient({ baseUrl, apiKey })
    const error: unknown = await petstore.getPet(404n).catch((thrown: unknown) => thrown)
    await petstore.createPet({ name: "Bello", categoryId: 7n })
    given = {
      petstore,
      baseUrl,
      apiKey,
      error,
      shows,
      catalogue: await openPetstore("memory:", { migrate: true }),
      load: async () => undefined,
      save: () => Promise.reject(saved),
    }
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await serving.stop()
    store.remove()
  })

  it("are found in the sources of core and the client", () => {
    expect(examples.length).toBeGreaterThan(15)
    expect(examples.filter(({ text }) => text === "")).toStrictEqual([])
  })

  it("compile", () => {
    const tsconfig = join(folder, "tsconfig.json")
    writeFileSync(
      tsconfig,
      JSON.stringify({
        extends: "../../tsconfig.json",
        // An example need not use the names that it declares.
        compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
        include: ["*.ts"],
      }),
    )
    const compile = () =>
      execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", tsconfig], { encoding: "utf8" })
    expect(compile).not.toThrow()
  })

  for (const example of examples.filter((one) => !isSuite(one))) {
    it(`return the values that they show at ${example.place}: ${example.text.split("\n")[0]}`, async () => {
      const { run } = await example.load()
      await run(given).catch((thrown: unknown) => {
        if (thrown !== saved) throw thrown
      })
    })
  }
})

// A contract suite declares tests, so the example of a suite runs while Vitest collects tests.
for (const example of examples.filter(isSuite)) {
  const { run } = await example.load()
  await run({ shows } as Given) // Safe: the examples for the suites do not use a running service.
}
