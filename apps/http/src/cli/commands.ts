/** What the `petstore` command can do. */
import { Command, InvalidArgumentError, Option } from "commander"
import { workerCommand } from "../process/messages.js"
import { accountsCreate, accountsList } from "./accounts.js"
import { backup, restore } from "./backup.js"
import { deprecations } from "./deprecations.js"
import { exportStore } from "./export.js"
import { petFileFormats } from "./files/pet-file.js"
import { importPets } from "./import.js"
import { batchMaximum } from "./import-file.js"
import { importOrders } from "./import-orders.js"
import { keysCreate, keysList, keysRevoke } from "./keys.js"
import { migrate } from "./migrate.js"
import { runCommand } from "./program.js"

/** The most that a cluster is asked for: a page asks every one. */
const shardsMaximum = 1_024

const shardsOf = (text: string): number => {
  const shards = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (shards <= shardsMaximum) return shards
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${shardsMaximum}.`)
}

const json = ["--json", "print one JSON value"] as const

const program = new Command("petstore")
  .description("The pet store inventory service. Settings are environment variables: see docs/operations.md.")
  // Wrong usage is exit code 2, as in POSIX utilities; asking for help is no failure.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .showHelpAfterError()

program
  .command("serve")
  .description("serve the API until SIGTERM; with WORKERS above 1, SIGHUP replaces the processes one by one")
  .option("--check", "look at the settings and the store, change nothing, and exit")
  // Loaded when it is asked for: no other command needs the server, which is most of the program.
  .action(async (options) => (await import("./serve.js")).serve(options))

program.command(workerCommand, { hidden: true }).action(async () => (await import("./serve.js")).work())

program
  .command("migrate")
  .description("bring the schema of the store up to date")
  .option("--distribute", "spread its tables, with what is in them, over the workers of a Citus cluster; may run again")
  .addOption(new Option("--shards <number>", "parts of each table, 8 if absent; with --distribute").argParser(shardsOf))
  .option(...json)
  .action((options) => runCommand(migrate(options)))

program
  .command("backup <file>")
  .description("copy the whole store to a new file, while the service runs")
  .option(...json)
  .action((file, options) => runCommand(backup(file, options)))

program
  .command("restore <file>")
  .description("make the store from a backup, while the service is stopped")
  .option("--replace", "move a store that is there already aside")
  .option(...json)
  .action((file, options) => runCommand(restore(file, options)))

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

const format = () => new Option("--format <format>", "what the file holds").choices(petFileFormats)

program
  .command("import <file>")
  .description(
    `add the animals of a file, or of standard input for -: one JSON object on each line (.ndjson,
.jsonl), or CSV with a header line that names the columns name, categoryId and, if there is one,
status (.csv).

Every row is judged by the rules of POST /v1/pets. A rejected row is reported on standard
error with its line and the reason. Exit code 0 if every row was good, 1 if some were rejected.

A serving process goes on meanwhile: animals are kept ${batchMaximum} at a time, with its own in between.
With --all-or-nothing all are kept in one transaction at the end: meanwhile reads are answered as
ever, and creates wait up to 2 seconds, then get 503 storage_unavailable.

With --orders (experimental) the file holds orders, as export --orders writes them, or only petId and
status. Each is carried out again, in the order of the file: placed, then completed or cancelled as its
status says. petId names an animal of this store, which must be available, or the row is rejected; id is
ignored, as it is of animals. So import animals that were exported with --before-orders first.`,
  )
  .option("--orders", "carry out the orders of the file, one JSON object on each line (experimental)")
  .option("--all-or-nothing", "keep nothing if any row is rejected")
  .addOption(format())
  .option(...json)
  .action((file, options) => runCommand(options.orders ? importOrders(file, options) : importPets(file, options)))

program
  .command("export <file>")
  .description(
    `write all animals to a file, or to standard output for -, by ascending id: one JSON object on each
line, or CSV for a file that ends in .csv. The file appears when it is complete.`,
  )
  .addOption(format())
  .option("--orders", "write all orders instead, one JSON object on each line (experimental)")
  .option("--before-orders", "write every animal that was ever ordered as available, so that its orders can be imported after it")
  .option(...json)
  .action((file, options) => runCommand(exportStore(file, options)))

/** Runs the command that the arguments of the process name. */
export const runCommandLine = (): Promise<unknown> => program.parseAsync()
