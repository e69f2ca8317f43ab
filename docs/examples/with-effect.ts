/**
 * With Effect: use cases of the domain inside a program of yours, on layers.
 *
 * Prints:
 *     kept {"id":1,"name":"Ada","categoryId":9007199254740993}
 *     kept {"id":2,"name":"Bello","categoryId":7,"status":"sold"}
 *     refused 400 invalid_body: name: is required, got nothing; status: expected one of available, pending, sold, got "lost".
 *     refused 404 pet_not_found: No pet has the identifier 404.
 *     sold: Bello
 */
import {
  createPet,
  decodeJson,
  decodeNewPet,
  encodePet,
  getPet,
  listPets,
  type Pet,
  type PetstoreError,
  pageLimits,
} from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { storage } from "@petstore/storage"
import { Console, Context, Effect, Either, Layer, Option } from "effect"

/** A service of your own. Use cases of core ask for theirs in the same way. */
class Announcements extends Context.Tag("example/Announcements")<
  Announcements,
  { readonly announce: (pet: Pet) => Effect.Effect<void> }
>() {}

/** A use case of your own, made from core's. Its type says what it needs and how it can fail. */
const addPet = (text: string) =>
  Either.flatMap(decodeJson(text), decodeNewPet).pipe(
    Effect.flatMap(createPet),
    Effect.tap((pet) => Effect.flatMap(Announcements, ({ announce }) => announce(pet))),
  )

/** One place turns failures into what your clients see; the error of the store stays in the failure, for the log. */
const reported = <A, R>(useCase: Effect.Effect<A, PetstoreError, R>) =>
  Effect.catchAll(useCase, (failure) => {
    const { status, code, message } = toErrorObject(failure)
    return Console.log(`refused ${status} ${code}: ${message}`)
  })

const program = Effect.gen(function* () {
  yield* addPet('{"name": "Ada", "categoryId": 9007199254740993}')
  yield* addPet('{"name": "Bello", "categoryId": 7, "status": "sold"}')

  yield* reported(addPet('{"categoryId": 7, "status": "lost"}'))
  yield* reported(getPet(404n))

  const page = yield* listPets({ status: Option.some("sold"), after: Option.none(), limit: pageLimits.default })
  yield* Console.log(`sold: ${page.items.map(({ name }) => name).join(", ")}`)
})

const announcements = Layer.succeed(Announcements, { announce: (pet) => Console.log(`kept ${encodePet(pet)}`) })
const pets = storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true })

await Effect.runPromise(Effect.provide(program, Layer.merge(announcements, pets)))
