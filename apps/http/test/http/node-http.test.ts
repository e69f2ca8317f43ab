import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("the service does not load the client behind fetch, which would take a sixth of the startup time", async () => {
  const printModules = "data:text/javascript,process.on('exit',()=>console.log(process.moduleLoadList.join()))"
  const service = await serve(inMemory({ NODE_OPTIONS: `--import "${printModules}"` }))
  await service.stop()
  expect(service.stdout).toContain("NativeModule http,")
  expect(service.stdout).not.toContain("undici")
})
