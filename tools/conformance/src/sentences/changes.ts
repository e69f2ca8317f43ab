/** Section 16: what happened. Tests read the changes of pets that they create, because other callers change other pets. */
import assert from "node:assert/strict"
import { setTimeout as sleep } from "node:timers/promises"
import { members } from "@petstore/harness/exact-json"
import { expectStatus, petOf, requestIdOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { create, cursorOf, everyRow, patch, remove, uniqueName } from "../catalogue.ts"
import { allowsExactly, refusesAll } from "../every.ts"
import { NotTested, reads, type Sentence, writes } from "../sentence.ts"
import { type Change, changesOf, historyOf, lifeOf, told } from "../store-changes.ts"
import { closed, orderPet, placeOrder } from "../store-orders.ts"
import { words } from "../wrong-values.ts"

const follow = async (http: Http, response: WireResponse, relation: "next" | "monitor" = "next"): Promise<WireResponse> =>
  http.send({ target: response.link(relation) ?? assert.fail(`expected a link to what is ${relation}`) })

export const changes: ReadonlyArray<Sentence> = [
  writes("16.21", "shows each change of a pet and its orders, before and after", ({ http }) => lifeOf(http)),
  writes("16.22", "names the account, the key and the request of a change, and no secret", async ({ http }) => {
    const response = await http.post('{"name":"a","categoryId":1}', { headers: ["X-Request-Id: conformance-16.22"] })
    const [change] = await historyOf(http, petOf(response.json).id)
    assert.equal(change?.requestId, requestIdOf(response))
    const { account, key, ...others } = members(change?.by ?? null) ?? {}
    assert.deepEqual(Object.keys(others), [])
    for (const id of [members(account ?? null)?.["id"], members(key ?? null)?.["id"]]) assert.equal(typeof id, "string")
    assert.equal(typeof members(account ?? null)?.["name"], "string")
    assert.ok(!JSON.stringify(change?.by).includes(http.key))
  }),
  writes("16.23", "leaves no change for what changed nothing", async ({ http }) => {
    const headers = [`Idempotency-Key: ${uniqueName().replaceAll(" ", "-")}`]
    const post = () => http.post('{"name":"a","categoryId":1,"status":"available"}', { headers })
    const { id } = petOf(expectStatus(await post(), 201).json)
    await post()
    for (const body of ["{}", '{"name":"a"}']) expectStatus(await patch(http, id, body), 200)
    expectStatus(await patch(http, id, '{"name":""}'), 400)
    const order = await placeOrder(http, id)
    expectStatus(await orderPet(http, id), 409)
    for (const _ of [1, 2]) await closed(http, order.id, "complete")
    const operations = (await historyOf(http, id)).map(({ operation }) => operation)
    assert.deepEqual(operations, ["createPet", "createOrder", "completeOrder"])
  }),
  writes("16.24", "lists changes from the oldest, and from the newest with order=desc", async ({ http }) => {
    const { pet, history } = await lifeOf(http)
    assert.deepEqual(await historyOf(http, pet.id, "&order=asc"), history)
    assert.deepEqual(await historyOf(http, pet.id, "&order=desc"), history.toReversed())
    const walked = await everyRow(http, `/changes?limit=2&order=desc&petId=${pet.id}`, changesOf)
    assert.deepEqual(walked, history.toReversed())
    assert.deepEqual(changesOf(await http.get(`/changes?petId=${pet.id}&order=desc`)), history.toReversed())
  }),
  writes("16.25", "links an ascending page to what follows, also an empty one, each change once", async ({ http }) => {
    const { pet, history } = await lifeOf(http)
    const seen: Array<Change> = []
    let response = await http.get(`/changes?limit=2&petId=${pet.id}`)
    for (let page = changesOf(response); page.length > 0; page = changesOf(response)) {
      assert.ok(page.length <= 2)
      assert.match(response.link("next") ?? "", new RegExp(`^${http.prefix}/changes\\?limit=2&petId=${pet.id}&cursor=`))
      seen.push(...page)
      response = await follow(http, response)
    }
    assert.deepEqual(seen, history)
    const again = await follow(http, response)
    assert.deepEqual(changesOf(again), [])
    assert.ok(again.link("next") !== undefined)
  }),
  writes("16.26", "links the first descending page to what happens later", async ({ http }) => {
    const pet = await create(http)
    const first = await http.get(`/changes?order=desc&limit=1&petId=${pet.id}`)
    assert.equal(changesOf(first).length, 1)
    assert.match(first.link("monitor") ?? "", new RegExp(`^${http.prefix}/changes\\?limit=1&petId=${pet.id}&cursor=`))
    assert.deepEqual(changesOf(await follow(http, first, "monitor")), [])
    expectStatus(await remove(http, pet.id), 204)
    const later = changesOf(await follow(http, first, "monitor"))
    assert.deepEqual(later.map(told), [{ operation: "removePet", before: { pet } }])
    const everything = await http.get("/changes?order=desc&limit=1")
    const made = await create(http)
    const following = changesOf(await follow(http, everything, "monitor"))
    if (following.length === 0) throw new Error("the change is not behind the link")
    if (following[0]?.after?.pet?.id !== made.id) throw new NotTested("another caller changed something meanwhile")
    assert.equal((await follow(http, everything)).link("monitor"), undefined)
  }),
  reads("16.27", "rejects wrong parameters and cursors", async ({ http }) => {
    const wrong = words(`limit=0 limit=101 limit= order= order=ASC order=asc&order=asc Order=desc
      petId= petId=1.0 petId=a petId=9223372036854775808 petId=1&petId=1 pet_id=1 petId[]=1 cursor= cursor=x`)
    await refusesAll("invalid_parameter", wrong, (query) => http.get(`/changes?${query}`))
    const cursor = await cursorOf(http, "/changes?limit=1")
    for (const query of [`order=asc&cursor=${cursor}`, `limit=2&cursor=${cursor}`, `page=2&cursor=${cursor}`])
      expectStatus(await http.get(`/changes?${query}`), 200)
    const others = words(
      `order=desc&cursor=${cursor} petId=1&cursor=${cursor} cursor=${cursor}x cursor=${cursor}&cursor=${cursor}`,
    )
    await refusesAll("invalid_parameter", others, (query) => http.get(`/changes?${query}`))
    await refusesAll("invalid_parameter", [cursor], (query) => http.get(`/pets?cursor=${query}`))
  }),
  reads("16.28", "allows exactly the methods of a read", ({ http }) => allowsExactly(http, "/changes")),
  writes("16.30", "waits for a change, and sends an empty page when the time is over", async ({ http }) => {
    const pet = await create(http)
    const behind = (await http.get(`/changes?petId=${pet.id}`)).link("next") ?? assert.fail("no next link")
    const begun = performance.now()
    const empty = await http.send({ target: `${behind}&wait=1` })
    assert.ok(performance.now() - begun > 900, "the response did not wait")
    assert.deepEqual(changesOf(empty), [])
    assert.match(empty.link("next") ?? "", /&wait=1&cursor=/)
    const waiting = http.send({ target: `${behind}&wait=30` })
    await sleep(200)
    expectStatus(await remove(http, pet.id), 204)
    assert.deepEqual(changesOf(await waiting).map(told), [{ operation: "removePet", before: { pet } }])
    for (const seconds of [0, 30]) {
      const page = changesOf(await http.send({ target: `${behind}&wait=${seconds}` }))
      assert.deepEqual(page.map(told), [{ operation: "removePet", before: { pet } }])
    }
  }),
  reads("16.31", "rejects a wrong wait", async ({ http }) => {
    const wrong = ["wait=", "wait=31", "wait=-1", "wait=1.5", "wait=1s", "wait=1&wait=1", "Wait=1", "wait=1&order=desc"]
    await refusesAll("invalid_parameter", wrong, (query) => http.get(`/changes?${query}`))
  }),
  writes("16.33", "answers a waiting client that ends its side of the connection", async ({ http }) => {
    const pet = await create(http)
    using connection = await http.open()
    const response = http.exchange(connection, {
      path: `/changes?wait=30&petId=${pet.id}&cursor=${await cursorOf(http, `/changes?petId=${pet.id}`)}`,
    })
    await sleep(200)
    connection.finish()
    assert.deepEqual(changesOf(await response), [])
  }),
]
