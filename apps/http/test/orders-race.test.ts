/** Tests concurrent orders on a file that several processes share. `orders-race.long.ts` uses PostgreSQL. */
import { readSqliteOrders } from "@petstore/torture/order-checker"
import { declareOrdersRace, fileIn } from "./orders-race.js"

declareOrdersRace({
  name: "a SQLite file",
  urlIn: (store) => Promise.resolve(`sqlite:${fileIn(store)}`),
  sharesWriter: true,
  readFile: (store) => readSqliteOrders(fileIn(store)),
})
