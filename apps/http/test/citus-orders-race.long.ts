/** Orders from all sides, on tables that Citus spreads over two workers. */
import { newSpreadDatabase } from "./citus-database.js"
import { declareOrdersRace } from "./orders-race.js"

declareOrdersRace({
  name: "Citus",
  urlIn: newSpreadDatabase,
})
