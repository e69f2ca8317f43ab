/** Tests every specification sentence that a client can verify, on tables that Citus distributes across two workers. */
import { startService } from "@petstore/harness/serving"
import { newSpreadDatabase } from "./citus-database.js"
import { declareEverySentence } from "./conformance-target.js"

declareEverySentence("the service on Citus", ({ environment }) => startService(environment), newSpreadDatabase)
