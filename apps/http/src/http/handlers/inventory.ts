/** `GET /store/inventory`, experimental: how many pets there are (specification, section 4.7). */
import { InventoryRepository } from "@petstore/core"
import { Effect } from "effect"
import type { Handler } from "../exchange.js"
import type { Parts } from "../operation.js"
import { readAnswer } from "../response/read-answer.js"

const inventory = Effect.flatMap(InventoryRepository, ({ read }) => read)

export const getInventory =
  ({ run, sendRead }: Parts): Handler =>
  async (exchange) => {
    sendRead(exchange, readAnswer(JSON.stringify(await run(inventory))))
  }
