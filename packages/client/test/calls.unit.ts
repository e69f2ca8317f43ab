import { type OperationName, operations } from "@petstore/core/contract"
import { expect, expectTypeOf, it } from "vitest"
import { type Categories, type Client, createClient, type Orders } from "../src/index.js"

/** The path in the client to an operation's call. An operation without a call has the type `never`. */
type CallOf<Name> = Name extends `${infer Verb}Order${"" | "s"}`
  ? `orders.${Verb & keyof Orders}`
  : Name extends `${infer Verb}Categor${"y" | "ies"}`
    ? `categories.${Verb & keyof Categories}`
    : Name & keyof Client

it("the types of the client have a call for every operation", () => {
  type Missing = { [Name in OperationName]: [CallOf<Name>] extends [never] ? Name : never }[OperationName]
  expectTypeOf<Missing>().toBeNever()
})

it("a client has a call for every operation, and no other calls than those that iterate over a list", () => {
  const { orders, categories, ...others } = createClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: "key" })
  const named = Object.keys(operations).map((name) => {
    const [, verb, noun = ""] = /^([a-z]+)(Order|Categor)(?:s|y|ies)?$/.exec(name) ?? []
    return verb === undefined ? name : `${noun === "Order" ? "orders" : "categories"}.${verb}`
  })
  const calls = Object.entries({ orders, categories }).flatMap(([group, of]) => Object.keys(of).map((verb) => `${group}.${verb}`))
  expect([...Object.keys(others), ...calls].toSorted()).toEqual(
    [...named, "changes", "listAllPets", "orders.listAll", "categories.listAll"].toSorted(),
  )
})
