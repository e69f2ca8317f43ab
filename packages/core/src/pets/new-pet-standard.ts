import type { NewPetJson, ValidNewPet } from "./pet.js"
import { newPetDecoder } from "./pet-decoders.js"

/** The part of Standard Schema version 1 (https://standardschema.dev) that a synchronous validator needs. */
export interface StandardSchema<Input, Output> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    /** Returns the value, or the problems with it. */
    readonly validate: (value: unknown) =>
      | { readonly value: Output; readonly issues?: undefined }
      | {
          readonly issues: ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<PropertyKey> }>
        }
    /** Only used by the compiler. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/**
 * Validates a new pet by the rules of `createPet`, for third-party forms and routers. Takes a value, not text: parse JSON with
 * exact integers first.
 *
 * @example newPetStandard["~standard"].validate({ name: "Bello", categoryId: 7 }) // { value: { name: "Bello", categoryId: 7n } }
 */
export const newPetStandard: StandardSchema<NewPetJson, ValidNewPet> = {
  "~standard": {
    version: 1,
    vendor: "@petstore/core",
    validate: (given) => {
      const { value, problems } = newPetDecoder.fromProgram(given)
      if (problems === undefined) return { value }
      return {
        issues: problems.map(({ field, expected, received }) => ({
          message: `${expected}, got ${received}`,
          path: field === "body" ? [] : [field],
        })),
      }
    },
  },
}
