/** Checks what the service changes in Koa, and that it changes nothing else. */
import { createHash } from "node:crypto"
import { setImmediate as endOfTick } from "node:timers/promises"
import Koa, { type Middleware } from "koa"
import { pino } from "pino"
import { describe, expect, it } from "vitest"
import { ServiceKoa } from "../../src/http/service-koa.js"
import { type Given, messagesOf, resourceOf } from "./exchange-of.js"

const koaWith = (...middleware: ReadonlyArray<Middleware>): ServiceKoa => {
  const koa = new ServiceKoa(() => resourceOf(() => {}), pino({ enabled: false }))
  for (const one of middleware) koa.use(one)
  return koa
}

const says =
  (text: string): Middleware =>
  (ctx) => {
    ctx.body = text
  }

const responseOf = async (koa: ServiceKoa, given: Given = {}): Promise<string> => {
  const { req, res, sent } = messagesOf(given)
  void koa.callback()(req, res)
  await endOfTick()
  await endOfTick()
  return sent()
}

describe("Koa", () => {
  const { createContext, callback } = Koa.prototype
  const { handleRequest } = Koa.prototype as unknown as { readonly handleRequest: () => void }

  // If this test fails, read what changed in Koa, adapt service-koa.ts and exchange.ts, then update the digests below.
  it.each([
    ["createContext", createContext, "8ad30fd94ae98541"],
    ["handleRequest", handleRequest, "3a6d47261ede624b"],
    ["callback", callback, "7edd1a9a541637be"],
    ["context.onerror", Object.getPrototypeOf(new Koa().context).onerror, "19a9094a4a96009a"],
    ["compose", Reflect.get(new Koa(), "compose"), "6b9e371e44222480"],
  ])("still has the %s that the service replaces", (_name, member, digest) => {
    expect(createHash("sha256").update(String(member)).digest("hex").slice(0, 16)).toBe(digest)
  })

  it("has three context members that the service reads once", () => {
    const { req, res } = messagesOf({})
    const ours = koaWith().createContext(req, res)
    const theirs = Object.getOwnPropertyNames(Object.getPrototypeOf(new Koa().context))
    expect(theirs.filter((name) => Object.hasOwn(ours, name)).sort()).toEqual(["method", "path", "querystring"])
  })
})

describe("the service's Koa", () => {
  it("creates Koa's request and response when middleware uses one of them, and connects them to the context", async () => {
    const seen: Array<unknown> = []
    await responseOf(
      koaWith(
        (ctx, next) => {
          seen.push(ctx["stock"])
          return next()
        },
        (ctx) => {
          const { request, response } = ctx
          seen.push(request.ctx === ctx, response.ctx === ctx, request.response === response, response.request === request)
          seen.push(ctx.request === request, ctx.app === request.app, ctx.originalUrl, request.originalUrl, ctx.query)
        },
      ),
      { url: "/a?b=1" },
    )
    expect(seen).toEqual([undefined, ...Array(6).fill(true), "/a?b=1", "/a?b=1", expect.objectContaining({ b: "1" })])
  })

  it("responds with ctx.body, ctx.status and ctx.set, and with 404 if middleware sets none of them", async () => {
    const responses = [
      says("hello"),
      (ctx) => {
        ctx.status = 202
      },
      (ctx) => {
        ctx.set("X-Own", "1")
        ctx.body = { a: 1 }
        ctx.status = 201
      },
      (ctx) => ctx.redirect("/b"),
      () => {},
      async () => {},
    ] satisfies ReadonlyArray<Middleware>
    const heads = []
    for (const one of responses) heads.push(await responseOf(koaWith(one)))
    expect(heads.map((head) => Number(head.slice(9, 12)))).toEqual([200, 202, 201, 302, 404, 404])
    expect(heads[0]).toMatch(/\r\n\r\nhello$/)
    expect(heads[2]).toMatch(/\r\nX-Own: 1\r\n[\s\S]*\r\n\r\n\{"a":1\}$/)
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("told to")
      },
    ],
    ["rejects", () => Promise.reject(new Error("told to"))],
    ["rejects with nothing", () => Promise.reject()],
  ])("lets middleware catch the failure if the next middleware %s", async (_how, broken) => {
    const caught: Middleware = (ctx, next) => next().catch(() => says("caught")(ctx, next))
    expect(await responseOf(koaWith(caught, broken))).toMatch(/\r\n\r\ncaught$/)
    expect(await responseOf(koaWith(broken))).toMatch(/^HTTP\/1\.1 500 [\s\S]*"internal_error"/)
  })

  it("responds with 500 if middleware calls next twice", async () => {
    const twice: Middleware = async (_ctx, next) => {
      await next()
      await next()
    }
    expect(await responseOf(koaWith(twice, () => {}))).toMatch(/^HTTP\/1\.1 500 /)
  })

  it("responds to ctx.throw with its status, headers and message, but hides the message of a 503", async () => {
    const text = await responseOf(koaWith((ctx) => ctx.throw(403, "Not here.", { headers: { "X-Why": "closed" } })))
    expect(text).toMatch(
      /^HTTP\/1\.1 403 [\s\S]*X-Why: closed\r\n[\s\S]*\{"code":"forbidden","message":"Not here.","status":403\}$/,
    )
    expect(await responseOf(koaWith((ctx) => ctx.throw(503, "our secret")))).not.toContain("secret")
  })

  it("does not share the properties of app.context with other apps", async () => {
    const mine: Middleware = (ctx) => {
      ctx.body = String(ctx["mine"])
    }
    const [one, other] = [koaWith(mine), koaWith(mine)]
    Object.assign(one.context, { mine: 1 })
    expect([await responseOf(one), await responseOf(other)].map((text) => text.split("\r\n\r\n")[1])).toEqual(["1", "undefined"])
  })
})
