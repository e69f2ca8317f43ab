/** `GET /openapi.json`: serves the contract, without a key. */
import { openApiText } from "../../openapi/document.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { fixedResponse } from "../response/fixed-response.js"

export const contract = ({ document }: Parts): Handler => fixedResponse("application/json", openApiText(document))
