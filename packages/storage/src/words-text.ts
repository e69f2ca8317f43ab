import { wordsOf } from "@petstore/core"

/** The words of a name as stores keep them. */
export const wordsTextOf = (name: string): string => wordsOf(name).join(" ")
