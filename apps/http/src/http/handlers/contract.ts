/** `GET /openapi.json`: the contract, without a key. */
import { openApiText } from "../../openapi/document.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { fixedAnswer } from "../response/fixed-answer.js"

export const contract = ({ document }: Parts): Handler => fixedAnswer("application/json", openApiText(document))
