/** The docs page as it is served, and its samples as a reader runs them. The page in a browser: `docs-browser.long.ts`. */
import { createClient, isPetstoreError } from "@petstore/client"
import { errorStatuses } from "@petstore/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { samples } from "../src/openapi/samples.js"
import { type Service, startService } from "./service.js"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service?.stop()
})

const get = (path: string, init?: RequestInit) => fetch(`${service.origin}${path}`, { redirect: "manual", ...init })

describe("the files of the page", () => {
  it.each([
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/page.css", "text/css; charset=utf-8"],
    ["/docs/page.js", "text/javascript; charset=utf-8"],
    ["/docs/theme.js", "text/javascript; charset=utf-8"],
    ["/openapi.json", "application/json"],
  ])("%s is served without a key, as %s, and again by 304", async (path, type) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
    expect(answer.headers.get("cache-control")).toBe("no-cache")
    expect(answer.headers.get("x-request-id")).toMatch(/./)
    const body = await answer.text()
    const etag = answer.headers.get("etag") ?? ""
    const again = await get(path, { headers: { "If-None-Match": etag } })
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
    const head = await get(path, { method: "HEAD" })
    expect([head.status, await head.text(), head.headers.get("content-length")]).toEqual([
      200,
      "",
      String(Buffer.byteLength(body)),
    ])
  })

  it("are found from the root", async () => {
    const answer = await get("/")
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs"])
  })

  it("allow nothing from elsewhere and nothing inside the page", async () => {
    const policy = (await get("/docs")).headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;/)
    expect(policy).not.toContain("unsafe")
    const page = await (await get("/docs")).text()
    expect(page).not.toMatch(/<script(?! src="\/docs\/)|<style|\sstyle=|\son[a-z]+=|javascript:/)
    expect(page.match(/(?:src|href)="(?!#|\/(?:docs\/|openapi\.json")|data:)[^"]*"/g)).toBeNull()
  })

  it("have an anchor for every error code, and for everything they link to", async () => {
    const page = await (await get("/docs")).text()
    const anchors = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
    for (const code of Object.keys(errorStatuses)) expect(anchors).toContain(`error-${code}`)
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(id)
    expect([...page.matchAll(/\sid="([^"]+)"/g)].length).toBe(anchors.size)
  })
})

/** Sends what a curl line says, as curl would. */
const runCurl = (source: string): Promise<Response> => {
  const line = source.replaceAll("\\\n", " ").replace("$PETSTORE_API_KEY", service.key)
  const [, method = "GET", url = ""] = /^curl(?: -X (\w+))?\s+"([^"]+)"/.exec(line) ?? []
  const headers = [...line.matchAll(/-H "([^:"]+): ([^"]+)"/g)].map(
    ([, name = "", value = ""]) => [name, value] as [string, string],
  )
  const [, body] = /-d '([^']*)'/.exec(line) ?? []
  return fetch(url.replace("{base}", `${service.origin}/v1`), {
    headers,
    ...(body === undefined ? { method } : { method: "POST", body }),
  })
}

describe("the samples", () => {
  it.each(
    Object.entries(samples).flatMap(([operation, each]) =>
      each.filter(({ lang }) => lang === "Shell").map(({ source }) => [operation, source]),
    ),
  )("of %s run in a terminal", async (operation, source) => {
    const { status } = await runCurl(source)
    // Nothing in a new catalogue has the identifiers of the samples.
    expect(status).toBe({ createPet: 201, listPets: 200, listOrders: 200 }[operation] ?? 404)
  })

  it.each(
    Object.entries(samples).flatMap(([operation, each]) =>
      each.filter(({ lang }) => lang === "TypeScript").map(({ source }) => [operation, source]),
    ),
  )("of %s run in TypeScript", async (operation, source) => {
    const [imported = "", ...lines] = source.split("\n")
    expect(imported).toBe('import { createClient } from "@petstore/client"')
    const body = lines.join("\n").replace("{base}", `${service.origin}/v1`).replace("pst_…", service.key)
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
    const printed: Array<unknown> = []
    const run: Promise<void> = new AsyncFunction("createClient", "console", body)(createClient, {
      log: (...values: ReadonlyArray<unknown>) => printed.push(...values),
    })
    const missing = { getPet: "pet_not_found", createOrder: "pet_not_found" }[operation]
    if (missing !== undefined || /Order$/.test(operation)) {
      const code = missing ?? "order_not_found"
      await expect(run).rejects.toSatisfy((error) => isPetstoreError(error) && error.code === code)
    } else {
      await run
      expect(printed.every((value) => typeof value === "bigint" || typeof value === "string")).toBe(true)
    }
  })
})
