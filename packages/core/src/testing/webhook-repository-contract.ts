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

/** The numbers down to another one. */
const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index)

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

  promise("stores deliveries with a replacement, or neither", function* ({ insert, list, replace, deliveries }) {
    const seen = made("wh_a")
    yield* insert(seen)
    yield* insert(made("wh_b"))
    const progress = { place: "p-3", last: 2, heldUpBy: 2 }
    expect(yield* replace(seen, { ...seen, progress, disabled: "gone" }, [delivery(1), delivery(2)])).toBe(true)
    const [stored = seen] = yield* list
    expect(stored).toStrictEqual({ ...seen, progress, disabled: "gone", version: 2 })
    expect(yield* deliveries("wh_a")).toStrictEqual([delivery(2), delivery(1)])
    expect(yield* deliveries("wh_b")).toStrictEqual([])
    const again = { ...delivery(1), tries: 2, status: 0, nextAtMillis: 5, atMillis: 3 }
    expect(yield* replace(seen, seen, [again, delivery(3)])).toBe(false)
    expect(yield* list).toStrictEqual([stored, made("wh_b")])
    expect(yield* deliveries("wh_a")).toStrictEqual([delivery(2), delivery(1)])
    expect(yield* replace(stored, seen, [again])).toBe(true)
    expect(yield* list).toStrictEqual([{ ...seen, version: 3 }, made("wh_b")])
    expect(yield* deliveries("wh_a")).toStrictEqual([delivery(2), again])
  })

  promise("finds the oldest delivery that is due", function* ({ insert, replace, due }) {
    yield* insert(made("wh_a"))
    yield* insert(made("wh_b"))
    const waiting = [{ ...delivery(1), nextAtMillis: 30 }, { ...delivery(2), nextAtMillis: 20 }, delivery(3)]
    yield* replace(made("wh_a"), made("wh_a"), waiting)
    expect(yield* due("wh_a", 19)).toStrictEqual([])
    expect(yield* due("wh_a", 20)).toStrictEqual([waiting[1]])
    expect(yield* due("wh_a", 30)).toStrictEqual([waiting[0]])
    expect(yield* due("wh_b", 30)).toStrictEqual([])
    yield* replace({ ...made("wh_a"), version: 2 }, made("wh_a"), [delivery(1)])
    expect(yield* due("wh_a", 30)).toStrictEqual([waiting[1]])
  })

  promise(
    "keeps the last hundred deliveries, and those that were not taken or are tried again",
    function* ({ insert, replace, deliveries }) {
      const [notTaken, again] = [
        { ...delivery(2), status: 500 },
        { ...delivery(3), nextAtMillis: 30 },
      ]
      const others = Array.from({ length: 103 }, (_, index) => delivery(index + 1)).toSpliced(1, 2)
      for (const id of ["wh_a", "wh_b"]) {
        yield* insert(made(id))
        yield* replace(made(id), { ...made(id), progress: { last: 103 } }, [notTaken, again, ...others])
        expect((yield* deliveries(id)).map(({ number }) => number)).toStrictEqual([...numbers(103, 4), 3, 2])
      }
      const taken = { ...again, nextAtMillis: undefined }
      yield* replace({ ...made("wh_a"), version: 2 }, { ...made("wh_a"), progress: { last: 104 } }, [delivery(104), taken])
      expect((yield* deliveries("wh_a")).map(({ number }) => number)).toStrictEqual([...numbers(104, 5), 2])
      expect((yield* deliveries("wh_b")).map(({ number }) => number)).toStrictEqual([...numbers(103, 4), 3, 2])
    },
  )

  promise("removes a webhook with its deliveries", function* ({ insert, list, replace, deliveries, remove }) {
    yield* insert(made("wh_a"))
    yield* insert(made("wh_b"))
    yield* replace(made("wh_a"), made("wh_a"), [delivery(1)])
    expect(yield* remove("wh_a")).toBe(true)
    expect(yield* remove("wh_a")).toBe(false)
    expect(yield* deliveries("wh_a")).toStrictEqual([])
    expect(yield* list).toStrictEqual([made("wh_b")])
  })
})
