/** A JSON text as the body of an answer. */
import type { Context } from "koa"

/** RFC 8259 §11: JSON is UTF-8 and the media type has no charset parameter. */
export const answerJson = (ctx: Context, text: string): void => {
  ctx.set("Content-Type", "application/json")
  ctx.body = text
}
