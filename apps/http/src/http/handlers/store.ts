/** `GET /store`: serves the counter page for store staff. Loading the page needs no key, but using it does. */
import { builtFile } from "../../built-file.js"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { fill, htmlPage } from "../response/html-page.js"

export const storePage = (parts: Parts): Handler =>
  htmlPage(fill(builtFile("store/page.html"), { deployment: parts.deployment }), parts)
