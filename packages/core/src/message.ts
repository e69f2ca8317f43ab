/** A message of the quickstart sample (specification, section 4.4): accepted, kept, not yet delivered. */
import { Schema } from "@effect/schema"
import type { Either } from "effect"
import { decodeBody } from "./body.js"
import type { AccountId } from "./credential.js"
import type { InvalidBody } from "./errors.js"
import { keptText } from "./text.js"

/** Most code points of a message. */
export const messageMaximum = 16_384

/** What a caller gives. */
export const NewMessage = Schema.Struct({ message: keptText(messageMaximum) }).annotations({ identifier: "NewMessage" })
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

/** Decodes the body of `POST /messages`, as `decodeJson` read it. Fails with `InvalidBody`, which names the field. */
export const decodeNewMessage: (json: unknown) => Either.Either<NewMessage, InvalidBody> = decodeBody(NewMessage)
