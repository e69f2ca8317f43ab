/** The compiler compares the failures of a use case with the codes of its operation. */
import type { Effect } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import type { ErrorCode } from "../../src/contract/failures.js"
import { type Agreed, useCases } from "../../src/contract/use-cases.js"
import type { OrderClosed, PetNotFound, StorageUnavailable } from "../../src/errors.js"

type Failing<E> = { readonly remove: { readonly kind: "read"; readonly run: () => Effect.Effect<void, E> } }
type Described<Codes extends ReadonlyArray<"pet_not_found" | "order_closed">> = {
  readonly remove: { readonly kind: "read"; readonly codes: Codes }
}

describe("a description and its use case", () => {
  it("agree when the description has the code of each failure except StorageUnavailable", () => {
    type UseCases = Failing<PetNotFound | StorageUnavailable>
    expectTypeOf<Agreed<Described<["pet_not_found"]>, UseCases>>().toExtend<UseCases>()
  })

  it("disagree when they are of different kinds", () => {
    type Listed = { readonly remove: { readonly kind: "list"; readonly codes: ["pet_not_found"] } }
    expectTypeOf<Agreed<Listed, Failing<PetNotFound>>["remove"]>().toBeNever()
  })

  it("disagree when a code is missing", () => {
    expectTypeOf<Agreed<Described<["pet_not_found"]>, Failing<PetNotFound | OrderClosed>>["remove"]>().toEqualTypeOf<{
      readonly missingInItsDescription: "order_closed"
      readonly neverHappens: never
    }>()
  })

  it("disagree when the description has a code that no failure has", () => {
    expectTypeOf<Agreed<Described<["pet_not_found", "order_closed"]>, Failing<PetNotFound>>["remove"]>().toEqualTypeOf<{
      readonly missingInItsDescription: never
      readonly neverHappens: "order_closed"
    }>()
  })

  it("do not compile when they disagree", () => {
    const { completeOrder } = useCases
    type AgreedWith<Code extends ErrorCode> = Agreed<{ completeOrder: { kind: "action"; codes: [Code] } }, typeof useCases>
    type Codes = "insufficient_scope" | "order_not_found" | "order_closed"
    expectTypeOf({ completeOrder }).toExtend<AgreedWith<Codes>>()
    // @ts-expect-error: completing an order can fail with OrderClosed, which the description lacks.
    const missing: AgreedWith<Exclude<Codes, "order_closed">> = { completeOrder }
    // @ts-expect-error: completing an order never fails with PetNotFound, which the description names.
    const surplus: AgreedWith<Codes | "pet_not_found"> = { completeOrder }
    // @ts-expect-error: the operation changes something, but the description lacks the refusal of read-only keys.
    const unscoped: AgreedWith<Exclude<Codes, "insufficient_scope">> = { completeOrder }
    const { getOrder } = useCases
    type Reading = { getOrder: { kind: "read"; codes: ["insufficient_scope" | "order_not_found"] } }
    // @ts-expect-error: the operation changes nothing, but the description refuses read-only keys.
    const scoped: Agreed<Reading, typeof useCases> = { getOrder }
    expect([missing, surplus, unscoped, scoped]).toHaveLength(4)
  })
})
