/** Tests every specification sentence that a client can verify, against the built service without a log. */
import { startService } from "@petstore/harness/serving"
import { declareEverySentence } from "./conformance-target.js"

declareEverySentence("the service without a log", ({ environment }) => startService({ ...environment, LOG_LEVEL: "silent" }))
