/** The modules of Node that a start does not load: each costs time and memory of every process. */
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("loads no client of HTTP, which would take a sixth of the start", async () => {
  const told = "data:text/javascript,process.on('exit',()=>console.log(process.moduleLoadList.join()))"
  const service = await serve(inMemory({ NODE_OPTIONS: `--import "${told}"` }))
  await service.stop()
  expect(service.stdout).toContain("NativeModule http,")
  expect(service.stdout).not.toContain("undici")
})
