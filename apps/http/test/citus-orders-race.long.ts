/** Orders from all sides, on tables that Citus spreads over two workers. */
import { newSpreadDatabase } from "./citus-database.js"
import { declareOrdersRace } from "./orders-race.js"

declareOrdersRace({
  name: "Citus",
  urlIn: newSpreadDatabase,
  // A machine that runs other tests beside the servers is slow, and slowness is not what is looked for.
  settings: { POSTGRES_STATEMENT_TIMEOUT_MS: "10000" },
})
