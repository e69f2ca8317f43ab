/** The command table, one row for each command. The parser, the help and docs/reference/commands.md are derived from it. */
import { type ChangeOperation, changeOperations, deployments, int64FromText, petStatuses } from "@petstore/core"
import { decodeMembers, decodeStatuses, type FileDescription, fileFormats, isEncoding } from "@petstore/pet-files"
import { InvalidArgumentError } from "commander"
import { type Effect, Option } from "effect"
import { accountsCreate, accountsDisable, accountsEnable, accountsList } from "./accounts.js"
import { backup, restore } from "./backup.js"
import { command, decodeIdentifier, flag, type OptionDefinition, text } from "./command.js"
import { checksum, copy } from "./copy.js"
import { deprecations } from "./deprecations.js"
import { doctor } from "./doctor.js"
import { exportFormats, exportOrders, exportStore } from "./export.js"
import { history } from "./history.js"
import { importPets, importUpdates } from "./import.js"
import { importCategories } from "./import-categories.js"
import { batchMaximum } from "./import-file.js"
import { keysCreate, keysList, keysRevoke, keysRotate } from "./keys.js"
import { mcp } from "./mcp.js"
import { migrate } from "./migrate.js"
import type { OutputOptions } from "./output.js"
import { type Failure, messageOf, runCommand, WrongUsage } from "./program.js"
import { type OpenStore, openStore } from "./store.js"
import {
  webhooksAdd,
  webhooksDeliveries,
  webhooksDisable,
  webhooksEnable,
  webhooksList,
  webhooksListen,
  webhooksRedeliver,
  webhooksRemove,
  webhooksRotate,
} from "./webhooks.js"

/** The maximum number of shards. It is bounded because every page reads from all shards. */
const shardsMaximum = 1_024

const delimiter = (does: string): OptionDefinition<string> => ({
  flags: "--delimiter <character>",
  does,
  decode: (value) => {
    if (value === "tab") return "\t"
    if (/^[^"\r\n]$/u.test(value) && value.length === 1) return value
    throw new InvalidArgumentError('Expected one character other than a quotation mark, or the word "tab".')
  },
})

/** An option whose value a file description decodes. A wrong value is wrong usage. */
const decoded = <A>(flags: string, does: string, decode: (text: string, before: A | undefined) => A): OptionDefinition<A> => ({
  flags,
  does,
  decode: (value, before) => {
    try {
      return decode(value, before)
    } catch (thrown) {
      throw new InvalidArgumentError(messageOf(thrown))
    }
  },
})

const wholeNumber = (flags: string, does: string, minimum: number, maximum: number): OptionDefinition<number> =>
  decoded(flags, does, (value) => {
    const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    throw new Error(`Expected a whole number from ${minimum} to ${maximum}.`)
  })

const replace = flag("--replace", "replace an existing file once the new one is complete")

type Run<Given extends ReadonlyArray<unknown>> = (
  open: OpenStore,
  ...given: [...Given, OutputOptions]
) => Effect.Effect<void, Failure>

/** A command without options of its own. */
const onStore = (name: string, does: string, run: Run<[]>) =>
  command({ name, does, run: ({ open, options }) => runCommand(run(open, options)) })

/** A command without options of its own, on what its argument names. */
const onOne = (name: string, argument: string, does: string, run: Run<[one: string]>) =>
  command({
    name,
    args: [argument],
    does,
    // The parser requires the argument.
    run: ({ open, args, options }) => runCommand(run(open, args[argument] ?? "", options)),
  })

/** How many identifiers a search takes. */
const idMaximum = 100

/** The groups of two-word commands. */
export const groups: Readonly<Record<string, string>> = {
  accounts: "the accounts that may call the API",
  keys: "the accounts' API keys",
  webhooks: "endpoints of other programs that are told of changes (experimental)",
}

export const commands = [
  command({
    name: "serve",
    does: "serve the API until SIGTERM or SIGINT",
    details: "While the service is running, its ports are in use, so set PORT=0 ADMIN_PORT=off for --check.",
    options: { check: flag("--check", "check the settings and the store, change nothing, and exit") },
    store: "makes",
    hasJson: false,
    // Loaded on demand: the server is most of the program, and few commands need it.
    run: async ({ options }) => (await import("./serve.js")).serve(options),
  }),
  command({
    name: "migrate",
    does: "bring the store's schema up to date",
    options: {
      distribute: flag(
        "--distribute",
        "also distribute the store's tables and rows over the workers of a Citus cluster; safe to repeat",
      ),
      shards: wholeNumber("--shards <number>", "number of shards per table, for --distribute (default: 8)", 1, shardsMaximum),
      restored: flag(
        "--restored",
        "after pg_restore: give no identifier twice, and accept no key that may have been revoked since the dump",
      ),
      former: text("--former <url>", "with --restored: the database that the restored one replaces, if it can still be read"),
      keys: text("--keys <file>", "with --restored: a newer list of the keys, from petstore keys list --json"),
    },
    store: "makes",
    run: ({ open, options }) => runCommand(migrate(open, options)),
  }),
  command({
    name: "doctor",
    does: "check the settings, store, keys, disk, ports and clock, and suggest fixes, without creating or changing anything",
    details: `The command prints a line for each check: ok, warning or problem. The exit code is 1 if there is a problem. You can run the command while the service is running: it takes no locks.

  settings            contradictions, and what does not fit the machine: ports, WORKERS, open files, TLS
  owner, permissions  files of a SQLite store that the service cannot write to, or that other users can read
  disk                room for the next transactions and for a copy
  store, schema       whether the store can be read, is damaged (a few seconds for millions of animals), or has another schema
  backup              how old the newest one in BACKUP_FOLDER is, and whether it has its checksum
  deployment          whether the store belongs to PETSTORE_ENV
  keys                whether any is accepted, expires within 14 days, or is still used after it was rotated
  webhooks            which are disabled because of their endpoint, or fail
  clock               whether it is behind the times in the store
  port, admin port    free, used by a running petstore that is ready, or by another program
  durability, tls     PostgreSQL: whether its settings keep acknowledged writes, and whether connections are encrypted
  node                Citus: whether each node responds

With --recount, the command counts the animals instead, and corrects the inventory. It is wrong only after writes by a program
that does not update it, such as SQL by hand on PostgreSQL: recount after that program has exited. Meanwhile, requests that create
animals wait, about a second for a million animals; on SQLite they get 503 storage_unavailable after 2 seconds.`,
    options: { recount: flag("--recount", "count the animals, and correct the inventory") },
    run: ({ open, options }) => runCommand(doctor(open, options)),
  }),
  command({
    name: "backup",
    args: ["file?"],
    does: "copy the whole store to a new file, even while the service is running",
    details:
      "With --into instead of a file, the backup gets a name from the store and the time. Once it is verified, --keep deletes the oldest backups that such commands made of this store in this folder.",
    options: {
      replace,
      into: text("--into <folder>", "name the file, in a folder that is created if it is missing"),
      keep: wholeNumber("--keep <count>", "keep this many backups in the folder", 1, 999_999),
    },
    run: ({ args, options }) => runCommand(backup(args.file, options)),
  }),
  command({
    name: "restore",
    args: ["file"],
    does: "create the store from a backup while the service is stopped",
    details:
      "FILE may be a folder: the newest backup of this store in it. An existing store's accounts and keys are kept, including keys and revocations that are newer than the backup. Keys that may have been revoked since the backup are revoked.",
    options: {
      replace: flag("--replace", "move an existing store aside"),
      withKeys: flag("--with-keys", "accept keys that may have been revoked since the backup"),
      unverified: flag("--unverified", "take a store's file that no backup made, with the log next to it"),
      try: flag("--try", "restore into a temporary folder or database, check that, and remove it"),
      as: text(
        "--as <deployment>",
        "create a store for this deployment from another deployment's backup, and revoke the backup's keys",
        deployments,
      ),
    },
    store: "makes",
    run: ({ args, options }) => runCommand(restore(args.file, options)),
  }),
  command({
    name: "copy",
    does: "copy the whole store into a new one, also on another engine, with all identifiers, accounts and keys (experimental)",
    details: `For example, from SQLite to PostgreSQL: petstore copy --to postgres://USER:PASSWORD@HOST/DATABASE

Stop the service first: what it writes after the copy has begun is not in the copy. With --follow it may go on: the command
copies what it writes too, says when the copy is verified, and ends once the service is stopped. The tables are compared by their
checksums, which are printed; petstore checksum prints the same ones for either store. No program accepts the new store before
the end. After an interruption, run the command again: it starts from the beginning. The tables of other programs in
the same database stay behind.

In a Citus cluster, distribute the new store afterwards: petstore migrate --distribute`,
    options: {
      to: {
        ...text(
          "--to <url>",
          "the database URL of the new store (- for standard input, so that no process list shows a password)",
        ),
        isRequired: true,
      },
      follow: flag("--follow", "copy while the service is running, and follow what it writes until it is stopped"),
      replace: flag("--replace", "move an existing store aside: a file, or in PostgreSQL the tables, into another schema"),
    },
    run: ({ options }) => runCommand(copy(options)),
  }),
  command({
    name: "checksum",
    does: "print the number of rows and a checksum of each table, which are equal on every engine (experimental)",
    run: ({ options }) => runCommand(checksum(options)),
  }),
  command({
    name: "accounts create",
    args: ["name"],
    does: "create an account",
    store: "makes",
    run: ({ open, args, options }) => runCommand(accountsCreate(open, args.name, options)),
  }),
  onOne("accounts disable", "name", "refuse all keys of an account, until it is enabled (experimental)", accountsDisable),
  onOne("accounts enable", "name", "accept the keys of an account again (experimental)", accountsEnable),
  onStore("accounts list", "list the accounts", accountsList),
  command({
    name: "keys create",
    does: "create an API key for the store's deployment; the key is shown only once",
    options: {
      account: { ...text("--account <name>", "the account that the key belongs to"), isRequired: true },
      expiresIn: text("--expires-in <time>", "how long the key is valid, such as 90d, 12h, 30m or 45s (default: never)"),
      label: text("--label <text>", "the key's label, for operators"),
      readOnly: flag("--read-only", "make the key read-only (experimental)"),
    },
    store: "makes",
    run: ({ open, options }) => runCommand(keysCreate(open, options)),
  }),
  onStore("keys list", "list the API keys, without their secrets", keysList),
  command({
    name: "keys rotate",
    args: ["id"],
    does: "replace an API key with a new one; the old one is still accepted for a while",
    options: {
      overlap: text(
        "--overlap <time>",
        "how long the old key is still accepted, such as 7d, 12h or 30m; 0 to refuse it at once (default: 24h)",
      ),
    },
    run: ({ open, args, options }) => runCommand(keysRotate(open, args.id, options)),
  }),
  command({
    name: "keys revoke",
    args: ["id..."],
    does: "refuse API keys from now on",
    run: ({ open, args, options }) => runCommand(keysRevoke(open, args.id, options)),
  }),
  command({
    name: "mcp",
    does: "serve an agent over standard input and output (Model Context Protocol), where petstore-mcp is installed (experimental)",
    details: `PETSTORE_URL names the service (http://127.0.0.1:3000), and PETSTORE_API_KEY is the key that the agent acts with.

With --port, agents are served over HTTP on 127.0.0.1 instead.`,
    options: { port: text("--port <port>", "the port on 127.0.0.1; 0 takes a free one") },
    store: "none",
    hasJson: false,
    run: ({ options }) => runCommand(mcp(options)),
  }),
  onStore(
    "deprecations",
    "list the accounts that still call deprecated operations, with the number of calls and the time of the last one",
    deprecations,
  ),
  command({
    name: "history",
    does: "print what happened to the animals, orders and categories, newest first, and who did it (experimental)",
    options: {
      pet: { flags: "--pet <id>", does: "only changes of this animal and its orders", decode: decodeIdentifier },
      since: text("--since <time>", `how far back to look, such as 24h or 7d (default: the last 100 changes)`),
    },
    run: ({ open, options }) => runCommand(history(open, options)),
  }),
  command({
    name: "webhooks add",
    args: ["url"],
    does: "tell an endpoint of changes from now on; its secret is shown only once",
    details:
      "The URL is https, and its host has public addresses only, unless WEBHOOK_NETWORKS allows their network. In development, http and loopback are allowed as well.",
    options: {
      operations: decoded<ReadonlyArray<ChangeOperation>>(
        "--operations <list>",
        "only changes by these operations, such as createPet,completeOrder (default: all changes)",
        (value) =>
          value.split(",").map((name) => {
            const operation = changeOperations.find((one) => one === name.trim())
            if (operation !== undefined) return operation
            throw new Error(`Expected names among ${changeOperations.join(", ")}.`)
          }),
      ),
    },
    run: ({ open, args, options }) => runCommand(webhooksAdd(open, args.url, options)),
  }),
  onStore("webhooks list", "list the webhooks, without their secrets", webhooksList),
  onOne("webhooks disable", "id", "deliver nothing to a webhook until it is enabled; its changes wait", webhooksDisable),
  command({
    name: "webhooks enable",
    args: ["id"],
    does: "deliver to a webhook again, from where it stopped",
    options: { from: text("--from <place>", "now: leave out the changes that wait", ["now"] as const) },
    run: ({ open, args, options }) => runCommand(webhooksEnable(open, args.id, options)),
  }),
  onOne("webhooks rotate", "id", "give a webhook a new secret; the former one signs as well for 24 hours", webhooksRotate),
  onOne("webhooks remove", "id", "remove a webhook and its deliveries", webhooksRemove),
  onOne(
    "webhooks deliveries",
    "id",
    "list the last hundred deliveries of a webhook, and those that it has not taken",
    webhooksDeliveries,
  ),
  command({
    name: "webhooks redeliver",
    args: ["id", "change"],
    does: "deliver a change to a webhook once more",
    run: ({ open, args, options }) => runCommand(webhooksRedeliver(open, args.id, args.change, options)),
  }),
  command({
    name: "webhooks listen",
    does: "receive webhooks on loopback, verify and print them, for trying out",
    options: {
      secret: { ...text("--secret <secret>", "the secret of webhooks add"), isRequired: true },
      port: wholeNumber("--port <port>", "the port on 127.0.0.1; 0 takes a free one (default: 3002)", 0, 65_535),
    },
    store: "none",
    hasJson: false,
    run: ({ options }) => runCommand(webhooksListen(options)),
  }),
  command({
    name: "import",
    args: ["file"],
    does: "import animals or category names from a file (- for standard input)",
    details: `Start with: petstore import FILE --dry-run. It stores nothing, shows how the file would be read, and in the last line prints
the command, with all options, that reads it so. Look at that command, correct it, and run it.

The file is CSV (.csv, .tsv, .txt), one JSON object on each line (.ndjson, .jsonl) or a JSON array (.json), also compressed by
gzip (.gz). An animal needs a name and a category. In CSV, a header line names the columns name, categoryId and, optionally,
status, in any order, case and spelling (Category_ID); lines above it and other columns are left out. The delimiter is found.

  --columns name=Animal,categoryId=Species    the columns to read
  --statuses Adopted=sold,Hold=pending,Lost=  words; Lost= means no status
  --default "name=No name,status=available"   for empty and missing cells
  --create-categories                         categories are words, such as Dog
  --skip Status                               leave out a column

If the encoding, the header or the quotes of a file are broken, nothing of it is stored. Otherwise every row is checked against
the rules of POST /v1/pets. Rejected rows are reported on standard error with their line number and the reason, the others are
stored. The exit code is 0 if every row was stored, and 1 if not. --rejected FILE writes the rejected rows to FILE, each with
the reason added as rejectedBecause. Correct them, and import FILE. With --all-or-nothing, one rejected row stops everything.

An import that is interrupted says which line was last; --after-line goes on from there.

For a list that comes again, such as each month, use --key COLUMN --ids FILE (experimental) from the first import on. FILE keeps
which value of COLUMN became which animal: the same command goes on after an interruption, and a later list adds what is new
and corrects what changed. A later list need not be complete: animals that it lacks stay as they are.

A running service keeps working: animals are stored ${batchMaximum} at a time, and the service's own writes run in between.
With --all-or-nothing, all animals are stored in one transaction at the end. During this transaction, reads work as usual,
but requests that create animals wait for up to 2 seconds and then get a 503 storage_unavailable.

With --categories (experimental), the file is a CSV file with the columns id and name, as export --categories
writes it. Each row names or renames a category. Animals do not change.

With --update (experimental), the file corrects existing animals under the rules of PATCH. The column id names
an animal, a member without a column stays as it is, and an empty status removes the status. A row is rejected if its
id is unknown, or if its animal is reserved and cannot have this status. --update does not create a store.`,
    options: {
      categories: flag(
        "--categories",
        "name the categories that are listed in a CSV file with the columns id and name (experimental)",
      ),
      update: flag("--update", "correct the animals that the column id names (experimental)"),
      dryRun: flag("--dry-run", "check the rows without storing them"),
      allOrNothing: flag("--all-or-nothing", "store nothing if any row is rejected"),
      rejected: text("--rejected <file>", "write the rejected rows to a file, if there are any"),
      replace: flag("--replace", "replace an existing file of rejected rows"),
      format: text("--format <format>", "the format of the file, if its name does not end in it", fileFormats),
      encoding: decoded<string>(
        "--encoding <name>",
        "the encoding, such as windows-1252 (default: UTF-8, or UTF-16 with a mark)",
        (name) => {
          if (isEncoding(name)) return name
          throw new Error("Expected an encoding such as windows-1252, windows-1250, iso-8859-2 or utf-16le.")
        },
      ),
      delimiter: delimiter("the CSV delimiter, if it is not found; tab means a tab character"),
      header: flag("--no-header", "the CSV file has no header: columns are named 1, 2, 3; by default name, categoryId, status"),
      columns: decoded<NonNullable<FileDescription["columns"]>>(
        "--columns <list>",
        "columns with other names, such as name=Name,categoryId=Kategorie; may be repeated",
        decodeMembers,
      ),
      skip: decoded<ReadonlyArray<string>>("--skip <column>", "leave out a column; may be repeated", (column, before = []) => [
        ...before,
        column,
      ]),
      default: decoded<NonNullable<FileDescription["default"]>>(
        "--default <list>",
        "values for empty cells and missing columns, such as status=available; may be repeated",
        decodeMembers,
      ),
      statuses: decoded<NonNullable<FileDescription["statuses"]>>(
        "--statuses <list>",
        "words for statuses, such as Adopted=sold,Hold=pending; may be repeated",
        decodeStatuses,
      ),
      createCategories: flag("--create-categories", "create the categories that the file names and the store does not have"),
      forSpreadsheet: flag("--for-spreadsheet", "take away the apostrophes that export --for-spreadsheet put before cells"),
      key: text("--key <column>", "the column that names a row in another system, for --ids (experimental)"),
      ids: text(
        "--ids <file>",
        "keep here which key became which animal: a later import adds what is new and corrects what changed (experimental)",
      ),
      afterLine: wholeNumber(
        "--after-line <number>",
        "leave out the rows up to this line, which an interrupted import kept",
        0,
        Number.MAX_SAFE_INTEGER,
      ),
    },
    store: "makes",
    run: ({ open, args: { file }, options }) => {
      if (options.update) {
        const wrong = new WrongUsage({ reason: "--update corrects animals: leave out --categories." })
        return runCommand(options.categories ? wrong : importUpdates(openStore("opens"), file, options))
      }
      return runCommand(options.categories ? importCategories(open, file, options) : importPets(open, file, options))
    },
  }),
  command({
    name: "export",
    args: ["file"],
    does: "write animals to a file (- for standard output), in ascending order of id",
    details: `The file holds either one JSON object on each line (.ndjson, .jsonl) or CSV (.csv). It appears once it is complete.

With --for-spreadsheet, the file begins with a byte order mark, and names that a spreadsheet could take for a formula, a number
or a date begin with an additional apostrophe. To read the file again: import --update --for-spreadsheet.`,
    options: {
      format: text("--format <format>", "the format of the file", exportFormats),
      delimiter: delimiter("the CSV delimiter (default: a comma); tab means a tab character"),
      forSpreadsheet: flag("--for-spreadsheet", "write CSV that a spreadsheet shows as it is (experimental)"),
      status: text("--status <status>", "only animals with this status", petStatuses),
      withoutStatus: flag("--without-status", "only animals without a status"),
      categoryId: { flags: "--category-id <id>", does: "only animals of this category", decode: decodeIdentifier },
      name: text("--name <words>", "only animals whose names have words that begin so"),
      id: decoded<ReadonlyArray<bigint>>("--id <list>", `only these animals, such as 7,12: at most ${idMaximum}`, (value) => {
        const ids = value.split(",").map((id) => int64FromText(id.trim()))
        if (ids.length <= idMaximum && ids.every(Option.isSome)) return ids.map(({ value: id }) => id)
        throw new Error(`Expected at most ${idMaximum} 64-bit integers.`)
      }),
      order: text("--order <order>", "the order of the identifiers (default: asc)", exportOrders),
      orders: flag("--orders", "write all orders instead, one JSON object on each line (experimental)"),
      categories: flag("--categories", "write category names instead, as CSV with the columns id and name (experimental)"),
      changes: flag("--changes", "write the kept changes instead, one JSON object on each line (experimental)"),
      replace,
    },
    run: ({ open, args, options }) => runCommand(exportStore(open, args.file, options)),
  }),
]
