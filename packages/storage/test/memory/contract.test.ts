/** Every contract suite on the store in memory. */
import { memoryAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(memoryAdapters)
