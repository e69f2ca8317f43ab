/** A PostgreSQL server that stops responding, such as a suspended process or a server behind a network that drops packets. */
import { createKey, environmentOf, petstore } from "@petstore/harness/command"
import { openProxy } from "@petstore/harness/proxy"
import { startService } from "@petstore/harness/serving"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

it("does not prevent a service from stopping", async () => {
  const line = await openProxy(await newPostgresDatabase())
  const environment = environmentOf({ DATABASE_URL: line.url, LOG_LEVEL: "silent", PETSTORE_ENV: "staging" })
  await petstore(environment, "accounts", "create", "caller")
  const { key } = await createKey(environment, "caller")
  const service = await startService(environment)
  try {
    const pets = await fetch(`${service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })
    expect(await pets.text()).toBe("[]")
    line.silence()
    expect(await service.stop()).toBe(0)
  } finally {
    await service.kill()
    line.close()
  }
})
