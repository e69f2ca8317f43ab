/** The types of the calls in `@petstore/core/promise` name exactly the codes of the use cases, and no call is missing. */
import type { Effect } from "effect"
import { expectTypeOf, it } from "vitest"
import type { OperationName, operations } from "../src/contract/operations.js"
import type { CodeOf, RequestFailure } from "../src/contract/request-failure.js"
import type { useCases } from "../src/contract/use-cases.js"
import type { Categories, Orders, Petstore } from "../src/promise/petstore.js"
import type { Failure, FailureCode } from "../src/promise/result.js"

type Settled<Call> = Call extends (...input: never) => Promise<infer Result> ? Result : never
type CodesIn<Call> =
  Settled<Call> extends infer Result ? (Result extends Failure<infer Code extends FailureCode> ? Code : never) : never
type CodesOf<Name extends OperationName> = CodeOf<
  Effect.Effect.Error<ReturnType<(typeof useCases)[Name]["run"]>> & RequestFailure
>

/** The call for an operation. An operation without a call has the type `never`. */
type CallOf<Name> = Name extends "createPet"
  ? Petstore["createPetOnce"]
  : Name extends "createOrder"
    ? Orders["createOnce"]
    : Name extends keyof Petstore
      ? Petstore[Name]
      : Name extends `${infer Verb}Order${"" | "s"}`
        ? Orders[Verb & keyof Orders]
        : Name extends `${infer Verb}Categor${"y" | "ies"}`
          ? Categories[Verb & keyof Categories]
          : never

/** The code of an invalid cursor or idempotency key, which HTTP decodes before the use case. */
type CodeOfValue<D> = D extends { readonly kind: "list" | "create" } ? "invalid_parameter" : never

it("the type of each call names exactly the codes of its use case", () => {
  type Named = { readonly [Name in OperationName]: CodesIn<CallOf<Name>> }
  expectTypeOf<Named>().toEqualTypeOf<{
    readonly [Name in OperationName]: CodesOf<Name> | CodeOfValue<(typeof operations)[Name]>
  }>()
})
