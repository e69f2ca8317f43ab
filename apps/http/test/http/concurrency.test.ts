/** A thousand concurrent create requests (sentence 4.2.49). */
import { TemporaryStore } from "@petstore/harness/command"
import { everyPet } from "@petstore/harness/load"
import { type Service, startService } from "@petstore/harness/serving"
import { afterAll, beforeAll, expect, it } from "vitest"

const store = new TemporaryStore()
let serving: Service
let key: string

beforeAll(async () => {
  serving = await startService(store.environment)
  key = serving.key
})

afterAll(async () => {
  await serving?.stop()
  store.remove()
})

it("a thousand concurrent create requests get different ids, and the list contains every pet", async () => {
  const create = async (number: number): Promise<string> => {
    const response = await fetch(`${serving.baseUrl}/pets`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: `{"name":"pet ${number}","categoryId":${number}}`,
    })
    const text = await response.text()
    expect(text).toMatch(new RegExp(`^\\{"id":\\d+,"name":"pet ${number}","categoryId":${number}\\}$`))
    return text
  }
  const created = await Promise.all(Array.from({ length: 1000 }, (_, number) => create(number)))
  expect(new Set(created.map((pet) => /"id":(\d+)/.exec(pet)?.[1])).size).toBe(1000)

  const listed = await everyPet(serving.baseUrl, key)
  expect(listed.toSorted()).toStrictEqual(created.toSorted())
})
