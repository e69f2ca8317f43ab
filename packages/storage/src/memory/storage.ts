/** Everything in the memory of the process: for tests and demonstrations. */
import { Readiness } from "@petstore/core"
import { Effect, Layer } from "effect"
import { memoryCredentialRepository } from "./credential-repository.js"
import { memoryDeprecatedCallRepository } from "./deprecated-call-repository.js"
import { memoryMessageRepository } from "./message-repository.js"
import { memoryPetRepository } from "./pet-repository.js"

const ready = Layer.succeed(Readiness, { check: Effect.void })

export const memoryStorage = Layer.mergeAll(
  memoryPetRepository,
  memoryCredentialRepository,
  memoryMessageRepository,
  memoryDeprecatedCallRepository,
  ready,
)
