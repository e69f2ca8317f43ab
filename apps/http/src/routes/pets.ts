/** The catalogue: `GET /pets`, `POST /pets` and the deprecated `GET /pets/{petId}` (specification, section 4). */
import type Router from "@koa/router"
import {
  type Cryptography,
  claimRequest,
  createPet,
  createPetOnce,
  decodeIdempotencyKey,
  decodeNewPet,
  decodePetPageRequest,
  encodePet,
  encodePets,
  getPet,
  getPetDeprecation,
  listPets,
  type PetPageRequest,
  PetRepository,
} from "@petstore/core"
import { Effect, Either, Option } from "effect"
import type { Context } from "koa"
import { toHttpError } from "../error-response.js"
import { answerJson } from "../json-response.js"
import { readJson } from "../middleware/json-body.js"
import { readAnswer, sendRead } from "../read-answer.js"
import type { ReadyAnswers } from "../ready-answers.js"
import type { Run } from "../run.js"

export const petRoutes = (
  router: Router,
  run: Run<PetRepository | Cryptography>,
  ready: ReadyAnswers,
  bodyLimitBytes: number,
): void => {
  router.get("/v1/pets", async (ctx) => {
    const parameters = new URLSearchParams(ctx.querystring)
    const request = Either.getOrThrowWith(
      decodePetPageRequest((name) => parameters.getAll(name)),
      toHttpError,
    )
    const readAt = await run(Effect.map(PetRepository, (pets) => pets.revision()))
    const { items, next } = await run(listPets(request))
    const link = Option.map(next, (cursor) => `<${nextPage(request, cursor)}>; rel="next"`)
    const answer = readAnswer(encodePets(items), Option.getOrUndefined(link))
    ready.keep(ctx.url, answer, Option.isSome(next), readAt)
    sendRead(ctx, answer)
  })

  router.post("/v1/pets", async (ctx) => {
    const idempotencyKey = Either.getOrThrowWith(decodeIdempotencyKey(headerOf(ctx, "idempotency-key")), toHttpError)
    const { text, json } = await readJson(ctx, bodyLimitBytes)
    const newPet = Either.getOrThrowWith(decodeNewPet(json), toHttpError)
    const pet = await run(
      Option.match(idempotencyKey, {
        onNone: () => createPet(newPet),
        onSome: (key) =>
          Effect.flatMap(claimRequest(ctx.state["apiKey"], "POST /v1/pets", key, text), (claim) => createPetOnce(newPet, claim)),
      }),
    )
    ctx.status = 201
    ctx.set("Location", `/v1/pets/${pet.id}`)
    answerJson(ctx, encodePet(pet))
  })

  router.get("/v1/pets/:petId", async (ctx) => {
    ctx.set(deprecationHeaders)
    sendRead(ctx, readAnswer(encodePet(await run(getPet(ctx.params["petId"] ?? ""))), undefined))
  })
}

const { deprecation, sunset, successor } = getPetDeprecation

/** On every answer of the operation, failures included (specification 4.3.9). */
const deprecationHeaders = { Deprecation: deprecation, Sunset: sunset, Link: `<${successor}>; rel="successor-version"` }

/** The one value of a header; the server joins repeated ones. */
const headerOf = (ctx: Context, name: string): string | undefined => {
  const value = ctx.req.headers[name]
  return Array.isArray(value) ? value.join(", ") : value
}

/** Relative to the origin, never built from `Host`. The filter stands beside the cursor that was made for it. */
const nextPage = ({ limit, status }: PetPageRequest, cursor: string): string => {
  const parameters = new URLSearchParams({
    limit: String(limit),
    ...Option.match(status, { onNone: () => ({}), onSome: (value) => ({ status: value }) }),
    cursor,
  })
  return `/v1/pets?${parameters}`
}
