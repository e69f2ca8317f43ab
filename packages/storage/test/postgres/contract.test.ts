/** Every contract suite on PostgreSQL. */
import { postgresAdapters } from "../adapters.js"
import { contractsOn } from "../contract.js"
import { onlyPortableStatements } from "../postgres-statements.js"

contractsOn(postgresAdapters)

// Last: it checks the statements of the suites above.
onlyPortableStatements()
