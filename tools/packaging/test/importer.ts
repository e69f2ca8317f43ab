/**
 * What programs of other teams rely on, as one of their programs, which prints the name of each check. The packed project compiles it
 * with each compiler, and runs it on each Node, Bun and Deno. The arguments are the address of a service and an API key.
 */
export const importer = `
import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { createClient, isPetstoreError, makePetstoreError, type EndedCall, type Pet, type Result } from "@petstore/client"
import { createPet, getPet } from "@petstore/core"
import * as promise from "@petstore/core/promise"
import { storage } from "@petstore/storage"
import { QueryClient, replaceEqualDeep } from "@tanstack/query-core"
import { reactive, ref } from "@vue/reactivity"
import { Effect, Logger, Option, Tracer } from "effect"
import { produce } from "immer"
import { openMemoryPromises } from "./promises.ts"
import { petstoreQueries } from "./tanstack-query/petstore-queries.ts"

const [, , baseUrl = "", apiKey = ""] = process.argv
const client = createClient({ baseUrl, apiKey })
const bello = { name: "Bello", categoryId: 9007199254740993n } as const

const catalogueWith = (changed: Partial<promise.PromisePetRepository>) =>
  promise.openCatalogue(async () => ({ ...(await openMemoryPromises()).pets, ...changed }))

const isCode = (code: string) => (thrown: unknown) => isPetstoreError(thrown) && thrown.code === code

/** How pages keep a result. */
const keepers: Readonly<Record<string, (result: Result<Pet>) => Result<Pet>>> = {
  spread: (result) => ({ ...result }),
  structuredClone: (result) => structuredClone(result),
  "ref of Vue": (result) => ref(result).value,
  "reactive of Vue": (result) => reactive(result),
  immer: (result) => produce(result, (draft) => { draft.value.name = "Rex" }),
  "structural sharing of TanStack Query": (result) => replaceEqualDeep({ ...result, etag: "old" }, result),
}

const recordingTracer = (names: Array<string>) =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span", spanId: name, traceId: "trace", sampled: true, attributes: new Map(), name, parent, context, kind,
      links: [...links],
      status: { _tag: "Started", startTime },
      attribute: () => undefined,
      event: () => undefined,
      addLinks: () => undefined,
      end: () => void names.push(Option.isSome(parent) ? \`\${name} in \${parent.value.spanId}\` : name),
    }),
    context: (run) => run(),
  })

const checks: Readonly<Record<string, () => Promise<void>>> = {
  "a mistake of an adapter keeps its own error, and an outage is a failure": async () => {
    const mine = new TypeError("my own bug")
    const broken = await catalogueWith({ insert: () => Promise.reject(mine) })
    await assert.rejects(broken.createPet(bello), (thrown) => thrown === mine)
    await assert.rejects(promise.openCatalogue(JSON.parse("{}")), { name: "TypeError", message: /^open is not a function/ })
    const without = await catalogueWith({ insert: JSON.parse("null") })
    await assert.rejects(without.createPet(bello), { name: "TypeError", message: /^pets.insert is not a function/ })
    const unavailable = await catalogueWith({ insert: () => Promise.reject(promise.storageUnavailable("gone")) })
    const failed = await unavailable.createPet(bello)
    assert.deepEqual(failed.ok || [failed.error.code, failed.cause], ["storage_unavailable", "gone"])
  },
  "a result keeps its entity tag in pages": async () => {
    const { id } = (await client.createPet(bello)).value
    for (const [name, keep] of Object.entries(keepers)) {
      const { etag } = keep(await client.getPet(id))
      await client.correctPet(id, { name }, { ifMatch: etag })
      await assert.rejects(client.correctPet(id, { name: "late" }, { ifMatch: etag }), isCode("precondition_failed"), name)
    }
  },
  "no decoder of /promise throws": async () => {
    const decoders = Object.entries(promise).filter(([name]) => /^(?:parse|decode)/.test(name))
    assert.ok(decoders.length >= 20)
    for (const [name, decode] of decoders) {
      for (const value of [undefined, null, 5, 5n, "", "{", [], {}, () => 0, Symbol("a")]) {
        assert.equal(typeof Object(Reflect.apply(decode as () => unknown, undefined, [value])).ok, "boolean", name)
      }
    }
  },
  "req.query of a framework is a query": async () => {
    const query = promise.decodePetQuery({ status: "sold", limit: "5", id: ["1", "9007199254740993"] })
    assert.deepEqual(query.ok && query.value, { status: "sold", limit: 5, id: [1n, 9007199254740993n] })
  },
  "CommonJS requires the packages and their manifests": async () => {
    const require = createRequire(import.meta.url)
    assert.equal(typeof require("@petstore/core/testing").petRepositoryContract, "function")
    for (const name of ["client", "core", "sqljs", "storage"].map((name) => \`@petstore/\${name}\`)) {
      assert.equal(require(\`\${name}/package.json\`).name, name)
    }
  },
  "integers are exact text in JSON and in logs": async () => {
    const pet = { ...bello, id: 9007199254740995n }
    const read = promise.petFromJson(JSON.parse(JSON.stringify(promise.petToJson(pet))))
    assert.deepEqual(read.ok && read.value, pet)
    const lines: Array<string> = []
    const logger = Logger.map(Logger.jsonLogger, (line) => void lines.push(line))
    await Effect.runPromise(Effect.log(promise.petToJson(pet)).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger))))
    assert.match(lines.join(), /"id":"9007199254740995"/)
  },
  "every port may be of promises": async () => {
    const store = await promise.openRepositories(openMemoryPromises)
    const pet = await store.createPet({ ...bello, status: "available" })
    assert.ok(pet.ok && (await store.orders.create({ petId: pet.value.id })).ok)
    assert.ok((await store.categories.replace(bello.categoryId, { name: "Dogs" })).ok)
    const inventory = await store.getInventory()
    assert.equal(inventory.ok && inventory.value.pending, 1)
    const changes = await store.listChanges()
    assert.deepEqual(changes.ok && changes.value.items.map(({ operation }) => operation), ["createPet", "createOrder", "replaceCategory"])
    await store.accounts.create("shop")
    const key = await store.apiKeys.create({ accountName: "shop", deployment: "development" })
    assert.ok(key.ok && (await store.apiKeys.authenticate(key.value.secret, "development")).ok)
    await store.close()
  },
  "a signal ends a call of /promise": async () => {
    const slow = await catalogueWith({ find: () => new Promise(() => undefined) })
    const controller = new AbortController()
    const called = slow.within(controller.signal).getPet(1n)
    controller.abort("enough")
    await assert.rejects(called, (thrown) => thrown === "enough")
  },
  "an iteration that fails is told from a bug": async () => {
    const unavailable = await catalogueWith({ list: () => Promise.reject(promise.storageUnavailable("gone")) })
    const thrown: unknown = await unavailable.listAllPets().next().catch((error: unknown) => error)
    assert.equal(promise.isListFailed(thrown) && thrown.cause.error.code, "storage_unavailable")
    assert.equal(promise.isListFailed(new Error("a bug")), false)
  },
  "the client has own headers, hooks, signals and errors for tests": async () => {
    const ended: Array<EndedCall> = []
    const sent: Array<string> = []
    const watched = createClient({
      baseUrl,
      apiKey,
      headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
      fetch: (url, request) => {
        sent.push(\`\${request.headers["traceparent"]} \${request.headers["x-request-id"]}\`)
        return fetch(url, request)
      },
      onEnd: (call) => void ended.push(call),
    })
    assert.equal((await watched.getInventory({ headers: { "X-Request-Id": "mine" } })).requestId, "mine")
    assert.deepEqual(sent, ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 mine"])
    await assert.rejects(watched.getPet(2n ** 62n), isCode("pet_not_found"))
    await assert.rejects(watched.getPet(1n, { signal: AbortSignal.abort() }), isCode("aborted"))
    assert.deepEqual(ended.map(({ attempts, error }) => [attempts, error?.code]), [[1, undefined], [1, "pet_not_found"], [0, "aborted"]])
    assert.ok(ended.every(({ durationMillis }) => durationMillis >= 0))
    assert.ok(isCode("rate_limited")(makePetstoreError({ code: "rate_limited", status: 429 })))
  },
  "core and storage make spans": async () => {
    const names: Array<string> = []
    const program = Effect.flatMap(createPet(bello), ({ id }) => getPet(id)).pipe(Effect.provide(storage("memory:", { migrate: true })))
    await Effect.runPromise(Effect.withTracer(program, recordingTracer(names)))
    assert.deepEqual(names, ["PetRepository.insert in createPet", "createPet", "PetRepository.find in getPet", "getPet"])
  },
  "TanStack Query reads through the sample": async () => {
    const { id } = (await client.createPet(bello)).value
    const cache = new QueryClient()
    const { value, etag } = await cache.fetchQuery(petstoreQueries(client).pet(id))
    assert.deepEqual(value, { ...bello, id })
    assert.equal(typeof etag, "string")
    cache.clear()
  },
}

for (const [name, check] of Object.entries(checks)) {
  await check()
  console.log(name)
}
console.log("every check")
process.exit()
`
