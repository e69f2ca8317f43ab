/** The catalogue: `GET /pets`, `POST /pets` and the deprecated `GET /pets/{petId}` (specification, section 4). */
import * as core from "@petstore/core"
import { basePath, operations } from "@petstore/core/contract"
import { Either, Option } from "effect"
import { toHttpError } from "../error-response.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { parametersOf } from "../request/target.js"
import { nextLink } from "../response/next-link.js"
import type { ReadPage } from "../response/page-cache.js"
import { readAnswer } from "../response/read-answer.js"
import { andThen } from "../run.js"
import { creating } from "./create.js"

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

export const createPet = creating({
  path,
  decode: core.decodeNewPet,
  create: core.createPet,
  createOnce: core.createPetOnce,
  encode: core.encodePet,
})

export const getPet = ({ run, readTogether, sendRead }: Parts): Handler =>
  readTogether((exchange) => {
    const petId = Either.getOrThrowWith(core.decodePetId(exchange.resource.parameter), toHttpError)
    return andThen(run(core.getPet(petId)), (pet) => sendRead(exchange, readAnswer(core.encodePet(pet))))
  })
