import type { Webhook, WebhookDelivery } from "../webhooks/webhook.js"
import { WebhookRepository } from "../webhooks/webhook-repository.js"
import { atOnce, contractSuite } from "./promise.js"
import { expect } from "./runner.js"

const made = (id: string): Webhook => ({
  id,
  settings: {
    url: `https://${id}.example/é?a=1`,
    operations: ["createPet", "removePet"],
    secret: "whsec_AA==",
    createdAtMillis: 1_700_000_000_001,
  },
  progress: { place: "p-1", last: 0 },
  version: 1,
})

const delivery = (number: number, changeId = `c-${number}`): WebhookDelivery => ({
  number,
  changeId,
  payload: `{"type":"createPet","data":{"name":"Ünal ${number}"}}`,
  tries: 1,
  status: 204,
  atMillis: 1_700_000_000_000 + number,
})

/** Declares the contract suite for `WebhookRepository`. */
export const webhookRepositoryContract = contractSuite(WebhookRepository, (promise) => {
  promise("lists webhooks exactly as given, by identifier", function* ({ insert, list }) {
    expect(yield* list).toStrictEqual([])
    const plain: Webhook = { ...made("wh_a"), progress: { last: 0 } }
    const full: Webhook = {
      ...made("wh_B"),
      settings: { ...made("wh_B").settings, operations: [], former: { secret: "whsec_BB==", untilMillis: 1_800_000_000_000 } },
      progress: { place: "p-2", last: 7, heldUpBy: 7, failingSinceMillis: 1_699_999_999_999 },
      disabled: "failing",
      holder: "one",
    }
    yield* insert(plain)
    yield* insert(full)
    expect(yield* list).toStrictEqual([full, plain])
  })

  promise("replaces a webhook that is as it was seen, once", function* ({ insert, list, replace }) {
    const seen = made("wh_a")
    yield* insert(seen)
    yield* insert(made("wh_b"))
    const outcomes = yield* atOnce(["one", "two", "three"], (holder) => replace(seen, { ...seen, holder, disabled: "operator" }))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    const [first, second] = yield* list
    expect(first).toStrictEqual({ ...seen, disabled: "operator", holder: first?.holder, version: 2 })
    expect(second).toStrictEqual(made("wh_b"))
    expect(yield* replace({ ...seen, version: 2 }, { ...seen, progress: { last: 9 } })).toBe(true)
    expect((yield* list)[0]).toStrictEqual({ ...seen, progress: { last: 9 }, version: 3 })
  })

  promise("notes outcomes only for the holder", function* ({ insert, list, note, deliveries }) {
    yield* insert({ ...made("wh_a"), holder: "one" })
    const progress = { place: "p-3", last: 2 }
    expect(yield* note("wh_a", "two", { progress, deliveries: [delivery(1)] })).toBe(false)
    expect(yield* deliveries("wh_a")).toStrictEqual([])
    expect(yield* note("wh_a", "one", { progress, disabled: "gone", deliveries: [delivery(1), delivery(2)] })).toBe(true)
    expect(yield* list).toStrictEqual([{ ...made("wh_a"), progress, disabled: "gone", holder: "one", version: 2 }])
    expect(yield* deliveries("wh_a")).toStrictEqual([delivery(2), delivery(1)])
    const again = { ...delivery(1), tries: 2, status: 0, nextAtMillis: 5, atMillis: 3 }
    expect(yield* note("wh_a", "one", { progress, deliveries: [again] })).toBe(true)
    expect(yield* deliveries("wh_a")).toStrictEqual([delivery(2), again])
    expect(yield* note("wh_a", "one", { progress: { last: 2, heldUpBy: 2 }, deliveries: [] })).toBe(true)
    expect((yield* list)[0]?.progress).toStrictEqual({ last: 2, heldUpBy: 2 })
  })

  promise("finds the oldest delivery that is due", function* ({ insert, note, due, retime }) {
    yield* insert({ ...made("wh_a"), holder: "one" })
    yield* insert({ ...made("wh_b"), holder: "one" })
    const deliveries = [{ ...delivery(1), nextAtMillis: 30 }, { ...delivery(2), nextAtMillis: 20 }, delivery(3)]
    yield* note("wh_a", "one", { progress: { last: 3 }, deliveries })
    expect(yield* due("wh_a", 19)).toStrictEqual([])
    expect(yield* due("wh_a", 20)).toStrictEqual([deliveries[1]])
    expect(yield* due("wh_a", 30)).toStrictEqual([deliveries[0]])
    expect(yield* due("wh_b", 30)).toStrictEqual([])
    expect(yield* retime("wh_a", { changeId: "c-3" }, 7)).toBe(true)
    expect(yield* due("wh_a", 7)).toStrictEqual([{ ...delivery(3), nextAtMillis: 7 }])
    expect(yield* retime("wh_a", { changeId: "c-4" }, 7)).toBe(false)
    expect(yield* retime("wh_b", { changeId: "c-3" }, 7)).toBe(false)
  })

  promise(
    "makes the deliveries up to a number that wait due, or gives them up",
    function* ({ insert, note, deliveries, retime }) {
      for (const id of ["wh_a", "wh_b"]) {
        yield* insert({ ...made(id), holder: "one" })
        const waiting = [delivery(1), delivery(3)].map((one) => ({ ...one, nextAtMillis: 30 }))
        yield* note(id, "one", { progress: { last: 3 }, deliveries: [...waiting, delivery(2)] })
      }
      const later = { ...delivery(3), nextAtMillis: 30 }
      expect(yield* retime("wh_a", { upTo: 2 }, 7)).toBe(true)
      expect(yield* deliveries("wh_a")).toStrictEqual([later, delivery(2), { ...delivery(1), nextAtMillis: 7 }])
      expect(yield* retime("wh_a", { upTo: 2 }, undefined)).toBe(true)
      expect(yield* retime("wh_a", { upTo: 2 }, 7)).toBe(false)
      expect(yield* deliveries("wh_a")).toStrictEqual([later, delivery(2), delivery(1)])
      expect(yield* deliveries("wh_b")).toStrictEqual([later, delivery(2), { ...delivery(1), nextAtMillis: 30 }])
    },
  )

  promise("prunes old deliveries, except those that are tried again", function* ({ insert, note, deliveries, prune }) {
    for (const id of ["wh_a", "wh_b"]) {
      yield* insert({ ...made(id), holder: "one" })
      yield* note(id, "one", {
        progress: { last: 3 },
        deliveries: [{ ...delivery(1), nextAtMillis: 30 }, delivery(2), delivery(3)],
      })
    }
    yield* prune("wh_a", 2)
    expect((yield* deliveries("wh_a")).map(({ number }) => number)).toStrictEqual([3, 1])
    expect((yield* deliveries("wh_b")).map(({ number }) => number)).toStrictEqual([3, 2, 1])
  })

  promise("removes a webhook with its deliveries", function* ({ insert, list, note, deliveries, remove }) {
    yield* insert({ ...made("wh_a"), holder: "one" })
    yield* insert(made("wh_b"))
    yield* note("wh_a", "one", { progress: { last: 1 }, deliveries: [delivery(1)] })
    expect(yield* remove("wh_a")).toBe(true)
    expect(yield* remove("wh_a")).toBe(false)
    expect(yield* deliveries("wh_a")).toStrictEqual([])
    expect(yield* list).toStrictEqual([made("wh_b")])
  })
})
