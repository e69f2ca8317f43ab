/** The types of the calls in `@petstore/core/promise` name exactly the codes of the use cases. */
import type { Effect } from "effect"
import { expectTypeOf, it } from "vitest"
import type { OperationName } from "../src/contract/operations.js"
import type { CodeOf, RequestFailure } from "../src/contract/request-failure.js"
import type { useCases } from "../src/contract/use-cases.js"
import type { Orders, Petstore } from "../src/promise/petstore.js"
import type { Failure, FailureCode } from "../src/promise/result.js"

type Settled<Call> = Call extends (...input: never) => Promise<infer Result> ? Result : never
type CodesIn<Call> =
  Settled<Call> extends infer Result ? (Result extends Failure<infer Code extends FailureCode> ? Code : never) : never
type CodesOf<Name extends OperationName> = CodeOf<
  Effect.Effect.Error<ReturnType<(typeof useCases)[Name]["run"]>> & RequestFailure
>

it("names the codes of the use cases", () => {
  expectTypeOf<CodesIn<Petstore["listPets"]>>().toEqualTypeOf<"invalid_parameter" | CodesOf<"listPets">>()
  expectTypeOf<CodesIn<Petstore["createPetOnce"]>>().toEqualTypeOf<"invalid_body" | "invalid_parameter" | CodesOf<"createPet">>()
  expectTypeOf<CodesIn<Petstore["getPet"]>>().toEqualTypeOf<CodesOf<"getPet">>()
  expectTypeOf<CodesIn<Petstore["getInventory"]>>().toEqualTypeOf<CodesOf<"getInventory">>()
  expectTypeOf<CodesIn<Orders["list"]>>().toEqualTypeOf<"invalid_parameter" | CodesOf<"listOrders">>()
  expectTypeOf<CodesIn<Orders["createOnce"]>>().toEqualTypeOf<"invalid_body" | "invalid_parameter" | CodesOf<"createOrder">>()
  expectTypeOf<CodesIn<Orders["get"]>>().toEqualTypeOf<CodesOf<"getOrder">>()
  expectTypeOf<CodesIn<Orders["complete"]>>().toEqualTypeOf<CodesOf<"completeOrder">>()
  expectTypeOf<CodesIn<Orders["cancel"]>>().toEqualTypeOf<CodesOf<"cancelOrder">>()
})
