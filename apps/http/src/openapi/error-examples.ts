/** Every error code as an OpenAPI example: its summary is the meaning, and its description is the remedy. */

import type { Example } from "@petstore/core/contract"
import { type ErrorCode, type ErrorObject, failureGuide, makeErrorObject } from "@petstore/core/contract"

/** The page that explains how to get a key, without what a proxy puts in front. */
export const keyPage = "/docs#start"

/** A 401 names the page that explains how to get a key. Its address is origin-relative, like every address in a response. */
export const withKeyPage = (object: ErrorObject): ErrorObject =>
  object.status === 401 ? makeErrorObject(object.code, `${object.message} How to get a key: ${keyPage}`) : object

export const errorExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  Object.entries(failureGuide).map(([code, { meaning, remedy, example }]) => {
    const message = typeof example === "string" ? example : example().message
    // Safe: the keys of the guide are the codes.
    return [code, { summary: meaning, description: remedy, value: withKeyPage(makeErrorObject(code as ErrorCode, message)) }]
  }),
)
