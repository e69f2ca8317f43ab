/** Runs every contract suite on the in-memory store. */
import { memoryAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"

contractsOn(memoryAdapters)
