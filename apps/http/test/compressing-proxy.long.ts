/** Conditional changes behind a real nginx that changes or removes entity tags. */
import { createClient } from "@petstore/client"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"
import { startHttpProxy } from "./nginx.js"

const behind = async (directives: string) => {
  const service = await serve(environmentIn(temporaryFolder()))
  const location = `location / { proxy_pass http://petstore; ${directives} }`
  const proxy = await startHttpProxy(temporaryFolder(), new URL(service.baseUrl).host, location)
  onTestFinished(proxy.stop)
  const headers = { Authorization: `Bearer ${service.key}` }
  return { client: createClient({ baseUrl: `${proxy.origin}/v1`, apiKey: service.key }), origin: proxy.origin, headers }
}

it("a proxy that compresses makes tags weak, and they still name the pet", async () => {
  const { client, origin, headers } = await behind("gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;")
  const { id } = (await client.createPet({ name: "Bello", categoryId: 1n })).value
  const { etag: tag = "" } = await client.getPet(id)
  expect(tag).toMatch(/^W\//)
  const again = await fetch(`${origin}/v1/pets?id=${id}`, { headers: { ...headers, "If-None-Match": tag } })
  expect(again.status).toBe(304)
  const corrected = await client.correctPet(id, { name: "Rex" }, { ifMatch: tag })
  expect(corrected.value.name).toBe("Rex")
  await expect(client.removePet(id, { ifMatch: tag })).rejects.toMatchObject({ code: "precondition_failed" })
  await client.removePet(id, { ifMatch: corrected.etag })
})

it("behind a proxy that removes tags, the client refuses a conditional change and names the proxy", async () => {
  const { client } = await behind("proxy_hide_header ETag;")
  const { id } = (await client.createPet({ name: "Bello", categoryId: 1n })).value
  const change = async () => client.correctPet(id, { name: "Rex" }, { ifMatch: (await client.getPet(id)).etag })
  await expect(change()).rejects.toMatchObject({ code: "missing_etag", attempts: 0 })
  expect((await client.getPet(id)).value.name).toBe("Bello")
  await client.correctPet(id, { name: "Rex" }, { ifMatch: "*" })
  expect((await client.getPet(id)).value.name).toBe("Rex")
})
