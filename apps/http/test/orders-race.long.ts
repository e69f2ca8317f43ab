/** Tests concurrent orders on PostgreSQL. */
import { newPostgresDatabase } from "@petstore/test/postgres"
import { declareOrdersRace } from "./orders-race.js"

declareOrdersRace({ name: "PostgreSQL", newDatabase: newPostgresDatabase })
