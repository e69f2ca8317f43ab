/** Runs every contract suite on sql.js. */
import { sqljsAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(sqljsAdapters)
