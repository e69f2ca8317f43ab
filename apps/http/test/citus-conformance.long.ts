/** Every sentence of the specification that a client can try, on tables that Citus distributes over two workers. */
import { startService } from "@petstore/harness/serving"
import { newSpreadDatabase } from "./citus-database.js"
import { declareEverySentence } from "./conformance-target.js"

declareEverySentence("the service on Citus", ({ environment }) => startService(environment), newSpreadDatabase)
