import { postgresAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"
import { onlyPortableStatements } from "../postgres-statements.js"

contractsOn(postgresAdapters)

// Last, because it checks the statements that the suites above sent.
onlyPortableStatements()
