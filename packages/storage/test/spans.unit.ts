/** Use cases and the calls of repositories are spans of the tracer that a program sets. */
import { createPet, getInventory, getPet } from "@petstore/core"
import { storage, wrapRepositories } from "@petstore/storage"
import { Effect, Option, Tracer } from "effect"
import { expect, it } from "vitest"

/** Returns a tracer that notes each span at its end, with the name of its parent. */
const recordingTracer = (ended: Array<string>): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      spanId: name,
      traceId: "trace",
      sampled: true,
      attributes: new Map(),
      name,
      parent,
      context,
      links: [...links],
      kind,
      status: { _tag: "Started", startTime },
      attribute: () => undefined,
      event: () => undefined,
      addLinks: () => undefined,
      end: (_, exit) => {
        const within = Option.match(parent, { onNone: () => "", onSome: ({ spanId }) => ` in ${spanId}` })
        ended.push(`${name}${within}: ${exit._tag}`)
      },
    }),
    context: (run) => run(),
  })

it("a use case is a span, and each call of a repository is a span in it", async () => {
  const ended: Array<string> = []
  const program = Effect.gen(function* () {
    const { id } = yield* createPet({ name: "Bello", categoryId: 7n })
    yield* Effect.either(getPet(id + 1n))
    return yield* getInventory
  })
  const store = storage("memory:", { migrate: true })
  const traced = Effect.withTracer(Effect.provide(program, store), recordingTracer(ended))
  expect(await Effect.runPromise(traced)).toMatchObject({ total: 1 })
  expect(ended).toStrictEqual([
    "PetRepository.insert in createPet: Success",
    "createPet: Success",
    "PetRepository.find in getPet: Success",
    "getPet: Failure",
    "InventoryRepository.read in getInventory: Success",
    "getInventory: Success",
  ])
})

it("without a tracer, no span is made", async () => {
  const spans: Array<boolean> = []
  const store = wrapRepositories(storage("memory:", { migrate: true }), {
    pets: (pets) => ({
      ...pets,
      find: (id) =>
        Effect.zipRight(
          Effect.map(Effect.option(Effect.currentSpan), (span) => spans.push(Option.isSome(span))),
          pets.find(id),
        ),
    }),
  })
  const found = Effect.provide(Effect.either(getPet(7n)), store)
  await Effect.runPromise(found)
  await Effect.runPromise(Effect.withTracer(found, recordingTracer([])))
  expect(spans).toStrictEqual([false, true])
})
