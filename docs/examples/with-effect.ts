/**
 * Runs the domain's use cases in your own Effect program, with layers.
 *
 * Prints:
 *     kept {"id":1,"name":"Ada","categoryId":9007199254740993}
 *     kept {"id":2,"name":"Bello","categoryId":7,"status":"sold"}
 *     refused 400 invalid_body: name: is required, got nothing; status: expected one of available, pending, sold, got "lost".
 *     refused 404 pet_not_found: No pet has the identifier 404.
 *     sold: Bello
 */
import { createPet, decodeJson, decodeNewPet, encodePet, getPet, listPets, type Pet, type PetstoreError } from "@petstore/core"
import { toErrorObject } from "@petstore/core/contract"
import { storage } from "@petstore/storage"
import { Console, Context, Effect, Either, Layer } from "effect"

/** Your own service. Core's use cases require their services in the same way. */
class Announcements extends Context.Tag("example/Announcements")<
  Announcements,
  { readonly announce: (pet: Pet) => Effect.Effect<void> }
>() {}

/** Your own use case, composed of core's use cases. The type shows the services that it needs and the possible failures. */
const addPet = (text: string) =>
  Either.flatMap(decodeJson(text), decodeNewPet).pipe(
    Effect.flatMap(createPet),
    Effect.tap((pet) => Effect.flatMap(Announcements, ({ announce }) => announce(pet))),
  )

/** The only place that turns failures into output for your clients. The store's error stays in the failure, for the log. */
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

  const page = yield* listPets({ status: "sold" })
  yield* Console.log(`sold: ${page.items.map(({ name }) => name).join(", ")}`)
})

const announcements = Layer.succeed(Announcements, { announce: (pet) => Console.log(`kept ${encodePet(pet)}`) })
const pets = storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true })

await Effect.runPromise(Effect.provide(program, Layer.merge(announcements, pets)))
