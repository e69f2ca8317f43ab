/** The catalogue: `GET /pets`, `POST /pets` and the deprecated `GET /pets/{petId}` (specification, section 4). */
import {
  type Cryptography,
  claimRequest,
  createPet,
  createPetOnce,
  decodeNewPet,
  decodePetPageRequest,
  encodePet,
  encodePets,
  getPet,
  getPetDeprecation,
  listPets,
  type PetRepository,
} from "@petstore/core"
import { Effect, Either, Option } from "effect"
import type { CountDeprecatedCall } from "../../telemetry/deprecated-calls.js"
import { toFailure, toHttpError } from "../error-response.js"
import { type Exchange, queryOf } from "../exchange.js"
import { idempotencyKeyOf } from "../request/idempotency-key.js"
import { readJson } from "../request/json-body.js"
import { answerJson, answerRead, type HeaderList, readAnswer } from "../response/answer.js"
import { nextLink } from "../response/next-link.js"
import type { ReadyAnswers } from "../response/ready-answers.js"
import type { Run } from "../run.js"

const { deprecation, sunset, successor } = getPetDeprecation

/** On every answer of getPet, failures included (specification 4.3.9). */
const deprecationHeaders: HeaderList = [
  "Deprecation",
  deprecation,
  "Sunset",
  sunset,
  "Link",
  `<${successor}>; rel="successor-version"`,
]

export interface PetRoutes {
  readonly listPets: (exchange: Exchange) => void | Promise<void>
  readonly createPet: (exchange: Exchange) => Promise<void>
  readonly getPet: (exchange: Exchange, petId: string) => Promise<void>
}

export const petRoutes = (
  run: Run<PetRepository | Cryptography>,
  ready: ReadyAnswers,
  bodyLimitBytes: number,
  countDeprecatedCall: CountDeprecatedCall,
): PetRoutes => {
  const readPage = async (exchange: Exchange) => {
    const parameters = new URLSearchParams(queryOf(exchange.req))
    const request = Either.getOrThrowWith(
      decodePetPageRequest((name) => parameters.getAll(name)),
      toHttpError,
    )
    // The revision first: whatever is written between the two makes the page look older than it is.
    const revision = ready.revision()
    const { items, next } = await run(listPets(request))
    const answer = readAnswer(encodePets(items), nextLink("/v1/pets", request, next))
    ready.keep(exchange.req.url ?? "", answer, Option.isSome(next), revision)
    answerRead(exchange, answer)
  }

  return {
    listPets: (exchange) => {
      const answer = ready.find(exchange.req.url ?? "")
      return answer === undefined ? readPage(exchange) : answerRead(exchange, answer)
    },

    createPet: async (exchange) => {
      const idempotencyKey = idempotencyKeyOf(exchange.req)
      const { text, json } = await readJson(exchange.req, bodyLimitBytes)
      const newPet = Either.getOrThrowWith(decodeNewPet(json), toHttpError)
      const pet = await run(
        Option.match(idempotencyKey, {
          onNone: () => createPet(newPet),
          onSome: (key) =>
            Effect.flatMap(claimRequest(exchange.state.apiKey, "POST /v1/pets", key, text), (claim) =>
              createPetOnce(newPet, claim),
            ),
        }),
      )
      answerJson(exchange, 201, encodePet(pet), ["Location", `/v1/pets/${pet.id}`])
    },

    getPet: async (exchange, petId) => {
      countDeprecatedCall("getPet", exchange.state.apiKey)
      try {
        answerRead(exchange, readAnswer(encodePet(await run(getPet(petId))), undefined, deprecationHeaders))
      } catch (thrown) {
        throw toFailure(thrown).with(deprecationHeaders)
      }
    },
  }
}
