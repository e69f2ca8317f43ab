import { sqliteAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(sqliteAdapters)
