import { sqljsAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(sqljsAdapters)
