/** `petstore migrate --restored` on a Citus cluster. */
import { createKey, type Environment, environmentIn, petstore, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { newCitusDatabase } from "@petstore/test/postgres"
import { expect, it } from "vitest"

it("a distributed store goes on after the identifiers and with the revocations of a former distributed store", async () => {
  const folder = temporaryFolder()
  const newStore = async () => environmentIn(folder, { DATABASE_URL: await newCitusDatabase() })
  const [former, restored] = [await newStore(), await newStore()]
  const addTo = async (environment: Environment, key: string) => {
    const service = await serve(environment)
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    const created = await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Bello","categoryId":1}' })
    const text = await created.text()
    await service.stop()
    return /"id":(\d+)/.exec(text)?.[1] ?? created.status
  }
  await petstore(former, "migrate", "--distribute")
  await petstore(former, "accounts", "create", "Shop")
  const [good, leaked] = [await createKey(former, "Shop"), await createKey(former, "Shop")]
  await petstore(former, "copy", "--to", String(restored["DATABASE_URL"]))
  await petstore(restored, "migrate", "--distribute")
  expect(await addTo(former, good.key)).toBe("1")
  await petstore(former, "keys", "revoke", leaked.id)
  const settled = () => run(restored, "migrate", "--restored", "--former", String(former["DATABASE_URL"]))
  await expect.poll(settled, { timeout: 60_000, interval: 2_000 }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("new animals are above 1,"),
    stderr: expect.stringContaining("1 key is accepted now."),
  })
  expect(await addTo(restored, leaked.key)).toBe(401)
  expect(await addTo(restored, good.key)).toBe("2")
})
