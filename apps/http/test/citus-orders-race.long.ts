/** Tests concurrent orders on tables that Citus distributes across two workers. */
import { newSpreadDatabase } from "./citus-database.js"
import { declareOrdersRace } from "./orders-race.js"

declareOrdersRace({ name: "Citus", newDatabase: newSpreadDatabase })
