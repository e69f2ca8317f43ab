import { memoryAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(memoryAdapters)
