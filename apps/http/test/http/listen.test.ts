/** The error when the service cannot listen on an address: the reason, and the settings to change. */
import { createBoundedServer } from "@petstore/bounded-http"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { listen } from "../../src/http/listen.js"

it("listen reports that an address does not belong to this machine, and which settings to change", async () => {
  // TEST-NET-1 (RFC 5737) belongs to no machine.
  const server = createBoundedServer(() => {})
  const refused = await Effect.runPromise(Effect.flip(listen(server, "192.0.2.1", 0, "PORT or HOST")))
  expect(refused.reason).toBe("192.0.2.1:0 is not an address of this machine. Set PORT or HOST to another address.")
})
