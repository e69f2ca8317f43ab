/** A message of the quickstart sample (specification, section 4.4): accepted, kept, not yet delivered. */
import { Schema } from "@effect/schema"
import { type AccountId, decodeBody, type InvalidBody, storableText } from "@petstore/core"
import type { Either } from "effect"

/** Most code points of a message. */
export const messageMaximum = 16_384

/** What a caller gives. */
export const NewMessage = Schema.Struct({ message: storableText(messageMaximum) }).annotations({ identifier: "NewMessage" })
/** A message that obeys the rules, as a type. */
export interface NewMessage extends Schema.Schema.Type<typeof NewMessage> {}

/** A message as it is kept. */
export interface Message {
  /** `msg_` and 16 random letters and digits. */
  readonly id: string
  readonly accountId: AccountId
  readonly message: string
  /** Kept to the millisecond. */
  readonly createdAt: Date
}

/** Decodes a new message, as `decodeJson` read it. Fails with `InvalidBody`, which names the field. */
export const decodeNewMessage: (json: unknown) => Either.Either<NewMessage, InvalidBody> = decodeBody(NewMessage)
