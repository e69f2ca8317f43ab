/** Serves the pages' style sheets and scripts, without a key. */
import { builtFile } from "../../built-file.js"
import type { Handler } from "../exchange.js"
import { fixedResponse } from "../response/fixed-response.js"

/** @param path  path of a file in the build output: `docs/page.css` */
export const asset = (path: string, type: string) => (): Handler => fixedResponse(`${type}; charset=utf-8`, builtFile(path))
