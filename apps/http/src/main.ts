/** The `petstore` command. */
import { Command } from "commander"
import { accountsCreate, accountsList } from "./commands/accounts.js"
import { deprecations } from "./commands/deprecations.js"
import { keysCreate, keysList, keysRevoke } from "./commands/keys.js"
import { migrate } from "./commands/migrate.js"
import { runCommand } from "./commands/program.js"
import { serve } from "./commands/serve.js"

const json = ["--json", "print one JSON value"] as const

const program = new Command("petstore")
  .description("The pet store inventory service. Settings are environment variables: see docs/operations.md.")
  // Wrong usage is exit code 2, as in POSIX utilities; asking for help is no failure.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .showHelpAfterError()

program
  .command("serve")
  .description("serve the API until SIGTERM")
  .action(() => runCommand(serve()))

program
  .command("migrate")
  .description("bring the schema of the store up to date")
  .option(...json)
  .action((options) => runCommand(migrate(options)))

const accounts = program.command("accounts").description("who may call")
accounts
  .command("create <name>")
  .description("create an account")
  .option(...json)
  .action((name, options) => runCommand(accountsCreate(name, options)))
accounts
  .command("list")
  .description("list the accounts")
  .option(...json)
  .action((options) => runCommand(accountsList(options)))

program
  .command("deprecations")
  .description("list who still calls what is going to be removed, how often and when last")
  .option(...json)
  .action((options) => runCommand(deprecations(options)))

const keys = program.command("keys").description("the API keys of accounts")
keys
  .command("create")
  .description("create an API key for the deployment that PETSTORE_ENV names, and show it this once")
  .requiredOption("--account <name>", "whose key it is")
  .option("--expires-in <time>", "after how long it is refused, such as 90d, 12h, 30m or 45s (default: never)")
  .option(...json)
  .action((options) => runCommand(keysCreate(options)))
keys
  .command("list")
  .description("list the API keys, never their secrets")
  .option(...json)
  .action((options) => runCommand(keysList(options)))
keys
  .command("revoke <id>")
  .description("refuse an API key from now on")
  .option(...json)
  .action((id, options) => runCommand(keysRevoke(id, options)))

await program.parseAsync()
