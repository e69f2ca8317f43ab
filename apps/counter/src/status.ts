/** The words for the states of an animal, as a clerk says them. */
import type { PetStatus } from "@petstore/client"

const statusWords: Readonly<Record<PetStatus, string>> = { available: "for sale", pending: "on hold", sold: "sold" }

/** The word for a status. A pet may have none. */
export const statusWord = (status: PetStatus | undefined): string => (status === undefined ? "no status" : statusWords[status])

/** The choices of a form. */
export const statusChoices: ReadonlyArray<readonly [value: PetStatus | "", word: string]> = [
  ["available", statusWord("available")],
  ["pending", statusWord("pending")],
  ["sold", statusWord("sold")],
  ["", statusWord(undefined)],
]
