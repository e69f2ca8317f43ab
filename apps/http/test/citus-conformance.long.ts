/** Every sentence of the specification that a client can try, on tables that Citus spreads over two workers. */
import { startService } from "@petstore/harness/serving"
import { newSpreadDatabase } from "./citus-database.js"
import { declareEverySentence } from "./conformance-target.js"

declareEverySentence(
  "the service on Citus",
  // A machine that runs other tests beside two servers and their workers is slow.
  ({ environment }) => startService({ ...environment, POSTGRES_STATEMENT_TIMEOUT_MS: "10000" }),
  newSpreadDatabase,
)
