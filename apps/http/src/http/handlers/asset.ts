/** The style sheets and scripts of the pages, without a key. */
import { builtFile } from "../../built-file.js"
import type { Handler } from "../exchange.js"
import { fixedResponse } from "../response/fixed-response.js"

/** @param path  of the file that the build made: `docs/page.css` */
export const asset = (path: string, type: string) => (): Handler => fixedResponse(`${type}; charset=utf-8`, builtFile(path))
