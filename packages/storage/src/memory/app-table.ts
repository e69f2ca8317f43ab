/** A store in memory has no database for tables of an app: the app keeps its own. */
import { StorageUnavailable } from "@petstore/core"
import { AppDatabase } from "../app-table.js"

const refuse = () => new StorageUnavailable({ cause: new Error("A store in memory takes no SQL.") })

export const memoryAppDatabase = () => AppDatabase.of({ dialect: "none", write: refuse, read: refuse })
