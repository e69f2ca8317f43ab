/** A service behind a path, as `PUBLIC_BASE_URL=https://shop.example/api/v1` describes it. */
import { createClient } from "@petstore/client"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const start = async () => {
  const service = await serve(environmentIn(temporaryFolder(), { PUBLIC_BASE_URL: "https://shop.example/api/v1" }))
  const { origin } = new URL(service.baseUrl)
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
  const send = (method: string, path: string, body?: string) =>
    fetch(origin + path, { method, headers, redirect: "manual", ...(body !== undefined && { body }) })
  return { service, origin, send }
}

it("responses carry the path in front, and requests may leave it out", async () => {
  const { service, origin, send } = await start()
  for (const prefix of ["", "/api"]) {
    const made = await send("POST", `${prefix}/v1/pets`, '{"name":"Bello","categoryId":1}')
    const location = made.headers.get("location") ?? ""
    expect([made.status, location]).toEqual([201, expect.stringMatching(/^\/api\/v1\/pets\/\d+$/)])
    const read = await send("GET", location)
    expect(await read.json()).toEqual(await made.json())
    expect(read.headers.get("link")).toBe('</api/v1/pets>; rel="successor-version"')
    const withoutPrefix = await send("GET", location.slice("/api".length))
    expect(withoutPrefix.status).toBe(200)
    const named = await send("PUT", `${prefix}/v1/categories/${prefix.length}`, '{"name":"Dogs"}')
    expect(named.headers.get("location")).toBe(`/api/v1/categories/${prefix.length}`)
    expect((await send("GET", prefix || "/")).headers.get("location")).toBe("/api/docs")
  }
  const page = await send("GET", "/v1/pets?limit=1")
  const next = /^<(\/api\/v1\/pets\?[^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? ""
  expect(await (await send("GET", next)).json()).toHaveLength(1)
  const client = createClient({ baseUrl: `${origin}/api/v1`, apiKey: service.key })
  expect((await client.listPets({ limit: 1 })).value.next).toBeDefined()
  for (const path of ["/apiv1/pets", "/api/api/v1/pets", "/other/v1/pets"]) expect((await send("GET", path)).status).toBe(404)
  const keyless = await fetch(`${origin}/api/v1/nothing`)
  expect(await keyless.json()).toMatchObject({ status: 401, message: expect.stringMatching(/ \/api\/docs#start$/) })
})

it.each(["", "/api"])("the pages at %s/docs and %s/store load their files and call the API beside them", async (prefix) => {
  const { origin, send } = await start()
  for (const path of [`${prefix}/docs`, `${prefix}/store`]) {
    const page = await (await send("GET", path)).text()
    const files = [...page.matchAll(/(?:href|src)="((?!data:|#|https?:)[^"]+)"/g)].map(
      ([, file = ""]) => new URL(file, origin + path),
    )
    expect(files.map(({ pathname }) => pathname)).toContain(`${path}/page.js`)
    const statuses = await Promise.all(files.map(async (file) => [file.pathname, (await fetch(file)).status]))
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
  }
  const document = await (await send("GET", `${prefix}/openapi.json`)).json()
  expect(document).toHaveProperty("servers", expect.arrayContaining([{ url: "/api/v1", description: "Development" }]))
})
