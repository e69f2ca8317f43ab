/** `GET /openapi.json`: the contract, without a key. */
import type { Context } from "koa"
import { type OpenApiDocument, openApiText } from "../../openapi/document.js"
import { answerFixed, fixedAnswer } from "../response/fixed-answer.js"

/** The route of a document. */
export const contract = (document: OpenApiDocument): ((ctx: Context) => void) => {
  const answer = fixedAnswer("application/json", openApiText(document))
  return (ctx) => answerFixed(ctx, answer)
}
