/** Every sentence of the specification that a client can try, against the built service without a log. */
import { startService } from "@petstore/harness/serving"
import { declareEverySentence } from "./conformance-target.js"

declareEverySentence("the service without a log", ({ environment }) => startService({ ...environment, LOG_LEVEL: "silent" }))
