import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("the service loads neither the client behind fetch nor what only other commands or several processes need", async () => {
  const printModules =
    "import{createRequire}from'node:module';process.on('exit',()=>console.log(process.moduleLoadList.join(),Object.keys(createRequire('/').cache).join()))"
  const service = await serve(inMemory({ NODE_OPTIONS: `--import "data:text/javascript,${printModules}"` }))
  await service.stop()
  expect(service.stdout).toContain("NativeModule http,")
  expect(service.stdout).toContain("/koa/")
  expect(service.stdout).not.toMatch(/undici|NativeModule https|commander|rate-limiter-flexible/)
})

it("the built program is ASCII, so that V8 keeps a byte for each of its characters", () => {
  const files = globSync(join(import.meta.dirname, "../dist/*.js"))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => /[^\0-\x7f]/.test(readFileSync(file, "utf8")))).toStrictEqual([])
})
