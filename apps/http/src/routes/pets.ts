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
  type PetRepository,
} from "@petstore/core"
import { Effect, Either, Option } from "effect"
import type { Context } from "koa"
import { toHttpError } from "../error-response.js"
import { answerJson } from "../json-response.js"
import { readJson } from "../middleware/json-body.js"
import type { Run } from "../run.js"

export const petRoutes = (router: Router, run: Run<PetRepository | Cryptography>, bodyLimitBytes: number): void => {
  router.get("/v1/pets", async (ctx) => {
    const parameters = new URLSearchParams(ctx.querystring)
    const request = Either.getOrThrowWith(
      decodePetPageRequest((name) => parameters.getAll(name)),
      toHttpError,
    )
    const { items, next } = await run(listPets(request))
    if (Option.isSome(next)) ctx.set("Link", `<${nextPage(request, next.value)}>; rel="next"`)
    answerJson(ctx, encodePets(items))
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
    const { deprecation, sunset, successor } = getPetDeprecation
    ctx.set({ Deprecation: deprecation, Sunset: sunset, Link: `<${successor}>; rel="successor-version"` })
    const pet = await run(getPet(ctx.params["petId"] ?? ""))
    answerJson(ctx, encodePet(pet))
  })
}

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
