/** Orders from all sides, on every store that several processes share. */

import { newPostgresDatabase } from "@petstore/test/postgres"
import { readSqliteOrders } from "@petstore/torture/order-checker"
import { declareOrdersRace, fileIn } from "./orders-race.js"

declareOrdersRace({
  name: "a SQLite file",
  urlIn: (store) => Promise.resolve(`sqlite:${fileIn(store)}`),
  readFile: (store) => readSqliteOrders(fileIn(store)),
})

declareOrdersRace({ name: "PostgreSQL", urlIn: () => newPostgresDatabase() })
