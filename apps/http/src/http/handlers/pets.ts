/** The catalogue: `GET /pets`, `POST /pets` and the deprecated `GET /pets/{petId}` (specification, section 4). */
import * as core from "@petstore/core"
import { basePath, operations } from "@petstore/core/contract"
import { Effect, Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { idempotencyKeyOf } from "../request/idempotency-key.js"
import { readJson } from "../request/json-body.js"
import { parametersOf } from "../request/target.js"
import { answerJson } from "../response/answer.js"
import { nextLink } from "../response/next-link.js"
import { readAnswer } from "../response/read-answer.js"
import type { ReadPage } from "../response/ready-pages.js"
import { andThen } from "../run.js"

const path = `${basePath}${operations.listPets.path}`

export const listPets =
  ({ run }: Parts): ReadPage =>
  (exchange) => {
    const request = Either.getOrThrowWith(core.decodePetPageRequest(parametersOf(exchange.query)), toHttpError)
    return andThen(run(core.listPets(request)), ({ items, next }) => ({
      answer: readAnswer(core.encodePets(items), nextLink(path, request, next)),
      isFull: Option.isSome(next),
    }))
  }

export const createPet =
  ({ run, bodyLimitBytes }: Parts): Handler =>
  async (exchange) => {
    const idempotencyKey = idempotencyKeyOf(exchange.req)
    const { text, json } = await readJson(exchange.req, bodyLimitBytes)
    const newPet = Either.getOrThrowWith(core.decodeNewPet(json), toHttpError)
    const pet = await run(
      Option.match(idempotencyKey, {
        onNone: () => core.createPet(newPet),
        onSome: (key) =>
          Effect.flatMap(core.claimRequest(exchange.caller, `POST ${path}`, key, text), (claim) =>
            core.createPetOnce(newPet, claim),
          ),
      }),
    )
    answerJson(exchange, 201, core.encodePet(pet), ["Location", `${path}/${pet.id}`])
  }

export const getPet = ({ run, readTogether, sendRead }: Parts): Handler =>
  readTogether((exchange) => {
    const petId = Either.getOrThrowWith(core.decodePetId(exchange.place.parameter), toHttpError)
    return andThen(run(core.getPet(petId)), (pet) => sendRead(exchange, readAnswer(core.encodePet(pet))))
  })
