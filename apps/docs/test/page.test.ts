/** Tests the docs page as the service serves it, and the samples as readers run them. `*-browser.long.ts` uses a browser. */
import { createClient } from "@petstore/client"
import { errorStatuses } from "@petstore/core/contract"
import { inMemory } from "@petstore/harness/command"
import { type Service, startService } from "@petstore/harness/serving"
import { openWorkplace, serve } from "@petstore/harness/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operations, programIn, samplesIn, shapeOf } from "./page-samples.ts"

let service: Service
beforeAll(async () => {
  service = await startService(inMemory())
})
afterAll(async () => {
  await service?.stop()
})

const guides = ["/docs/following", "/docs/webhooks", "/docs/agents"]

const get = (path: string, init?: RequestInit) => fetch(`${service.origin}${path}`, { redirect: "manual", ...init })

/** The anchors of a page, each of which it may have only once, and where its links lead. */
const linksOf = async (path: string) => {
  const page = await (await get(path)).text()
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const targets = [...page.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href]) => {
    const { pathname, hash } = new URL(href ?? "", `${service.origin}${path}`)
    return { path: pathname, anchor: hash.slice(1) }
  })
  return { anchors: new Set(ids), targets }
}

it("the docs page keeps browsers on TLS only if a proxy in front of the service terminates TLS", async () => {
  const behindTls = await serve(inMemory({ TLS_IN_FRONT: "on" }))
  const ruleOf = async ({ origin }: Service) => (await fetch(`${origin}/docs`)).headers.get("strict-transport-security")
  expect(await ruleOf(behindTls)).toBe("max-age=63072000")
  expect(await ruleOf(service)).toBeNull()
})

describe("the docs page", () => {
  it.each<[path: string, type: string]>([
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/page.css", "text/css; charset=utf-8"],
    ["/docs/page.js", "text/javascript; charset=utf-8"],
    ["/docs/theme.js", "text/javascript; charset=utf-8"],
    ["/docs/guide.js", "text/javascript; charset=utf-8"],
    ...guides.map((guide): [string, string] => [guide, "text/html; charset=utf-8"]),
    ["/openapi.json", "application/json"],
  ])("gets %s without a key, as %s, and gets a 304 if the file has not changed", async (path, type) => {
    const response = await get(path)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type])
    expect(response.headers.get("cache-control")).toBe("no-cache")
    expect(response.headers.get("x-request-id")).toMatch(/./)
    const body = await response.text()
    const etag = response.headers.get("etag") ?? ""
    const again = await get(path, { headers: { "If-None-Match": etag } })
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
    const head = await get(path, { method: "HEAD", headers: { "Accept-Encoding": "identity" } })
    expect([head.status, await head.text(), head.headers.get("content-length")]).toEqual([
      200,
      "",
      String(Buffer.byteLength(body)),
    ])
  })

  it("is the target of the redirect from the root", async () => {
    const response = await get("/")
    expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"])
  })

  it.each(["/docs", ...guides])("allows neither resources from other origins nor inline scripts at %s", async (path) => {
    const response = await get(path)
    const policy = response.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;/)
    expect(policy).not.toContain("unsafe")
    const page = await response.text()
    expect(page).not.toMatch(/<script(?! src="(?:\.\.\/)?docs\/)|<style|\sstyle=|\son[a-z]+=|javascript:/)
    expect(page.match(/(?:src|href)="(?:[a-z]+:(?!image\/)|\/)[^"]*"/g)).toBeNull()
  })

  it("has an anchor for every error code", async () => {
    const { anchors } = await linksOf("/docs")
    for (const code of Object.keys(errorStatuses)) expect(anchors).toContain(`error-${code}`)
  })

  it("links to every guide, and every link on these pages has a target", async () => {
    const paths = ["/docs", ...guides, "/openapi.json"]
    const pages = new Map(await Promise.all(paths.map(async (path) => [path, await linksOf(path)] as const)))
    expect([...(pages.get("/docs")?.targets ?? [])].map(({ path }) => path)).toEqual(expect.arrayContaining(paths))
    for (const { targets } of pages.values()) {
      for (const { path, anchor } of targets) {
        const anchors = pages.get(path)?.anchors
        expect([path, anchors !== undefined]).toEqual([path, true])
        if (anchor !== "" && anchor !== "search") expect(anchors).toContain(anchor)
      }
    }
  })
})

describe("a client without a key", () => {
  it("gets a 401 that links to working commands for creating a key", async () => {
    const refusal = await (await get("/v1/pets")).text()
    const [, path = "", anchor = ""] = / How to get a key: (\/\S+)#([\w-]+)"/.exec(refusal) ?? []
    const section = (await (await get(path)).text()).split(`<section id="${anchor}"`)[1]?.split("</section>")[0] ?? ""
    const blocks = [...section.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, code = ""]) => code.replaceAll(/<[^>]+>/g, ""))
    const commands = blocks.join("\n").matchAll(/^npx --no petstore (.+)$/gm)
    const workplace = openWorkplace()
    await workplace.run(["accounts", "create", "development"])
    const keys: Array<string> = []
    for (const [, command = ""] of commands) {
      const { exitCode, stdout } = await workplace.run(command.split(" "))
      expect([command, exitCode]).toEqual([command, 0])
      keys.push(...(stdout.match(/pst_dev_\w{38}/) ?? []))
    }
    expect(keys).toHaveLength(2)
  })
})

it("the page has each operation once", async () => {
  expect((await samplesIn(service.origin)).order.toSorted()).toEqual(operations.toSorted())
})

it("the TypeScript samples, run from the top of the page to its end, get the responses that the page shows", async () => {
  const fresh = await serve(inMemory())
  const { sampleOf, responseOf, order } = await samplesIn(fresh.origin)
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  for (const operation of order) {
    const [imported, ...lines] = sampleOf(operation, "TypeScript").split("\n")
    expect(imported).toBe('import { createClient } from "@petstore/client"')
    const [, made = "undefined"] = /^const (\w+|\{.*\}) = await /m.exec(lines.join("\n").split("\n})\n\n").at(-1) ?? "") ?? []
    const program = new AsyncFunction("createClient", "process", "console", `${lines.join("\n")}\nreturn ${made}`)
    const printed: Array<unknown> = []
    const log = (...values: ReadonlyArray<unknown>) => printed.push(...values)
    const given: unknown = await program(createClient, { env: { PETSTORE_API_KEY: fresh.key } }, { log })
    const { value } = Object(given)
    const response: unknown = value?.items ?? value
    // A sample may print only some members, as the inventory's sample does.
    const shown = operation === "getInventory" ? { available: 0, total: 0 } : responseOf(operation)
    expect([operation, shapeOf(response)]).toEqual([operation, shapeOf(shown)])
    expect([operation, printed.length > 0]).toEqual([operation, shown !== undefined])
    expect(printed.every((value) => ["bigint", "number", "string"].includes(typeof value))).toBe(true)
  }
})

it("the program that follows changes prints a change that another caller makes", async () => {
  const { origin, key } = await serve(inMemory())
  const [imported, ...lines] = (await programIn(origin, "following", "TypeScript")).split("\n")
  expect(imported).toBe('import { createClient } from "@petstore/client"')
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  const program = new AsyncFunction("createClient", "process", "console", lines.join("\n"))
  const printed: Array<unknown> = []
  const log = (...values: ReadonlyArray<unknown>) => {
    printed.push(...values)
    throw new Error("enough")
  }
  const following: Promise<unknown> = program(createClient, { env: { PETSTORE_API_KEY: key } }, { log }).catch(String)
  const petstore = createClient({ baseUrl: `${origin}/v1`, apiKey: key })
  let made = 0
  // The program may begin to follow after a creation.
  while (printed.length === 0) {
    await petstore.createPet({ name: `Pet ${made}`, categoryId: 1n })
    made += 1
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(await following).toBe("Error: enough")
  expect(printed).toEqual([
    expect.any(String),
    "createPet",
    expect.any(Object),
    undefined,
    expect.objectContaining({ categoryId: 1n }),
  ])
})
