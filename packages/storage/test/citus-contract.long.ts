/** Every contract suite on tables that Citus spreads over two workers. */
import { AccountId } from "@petstore/core"
import {
  credentialRepositoryContract,
  deprecatedCallRepositoryContract,
  messageRepositoryContract,
  orderRepositoryContract,
  petRepositoryContract,
} from "@petstore/core/testing"
import { Effect } from "effect"
import { emptyCitus, spreadContractDatabase } from "./citus-store.js"
import { sql } from "./postgres-store.js"

const name = "Citus"

petRepositoryContract(name, emptyCitus)
orderRepositoryContract(name, emptyCitus)
credentialRepositoryContract(name, emptyCitus)
deprecatedCallRepositoryContract(name, emptyCitus)
messageRepositoryContract(
  name,
  emptyCitus,
  Effect.promise(async () => {
    const rows = await sql(await spreadContractDatabase(), "SELECT id, account_id, message, created_at FROM messages")
    return rows.map((row) => ({
      id: String(row["id"]),
      accountId: AccountId.make(String(row["account_id"])),
      message: String(row["message"]),
      createdAt: new Date(Number(row["created_at"])),
    }))
  }),
)
