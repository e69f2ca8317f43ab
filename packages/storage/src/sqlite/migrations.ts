/** The schema, as migration steps. A released step never changes. `PRAGMA user_version` is {@link firstVersion} after one step. */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { firstVersion, StorageNotOpened, whyRefused } from "../storage-not-opened.js"
import type { ServiceStorageOptions } from "../storage-options.js"
import { inTransaction } from "./engine/connection.js"
import { missingStore } from "./engine/store-file.js"

const now = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"

/**
 * The changes that may change more than the end of a list of pets: all but creations (number 1) by the store itself, whose
 * identifiers only grow. SQL by hand may choose a lower identifier.
 */
export const changesLists = "operation <> 1 OR actor IS NULL"

const pet = (row: string) =>
  `json_object('pet', json_object('id', ${row}.id, 'name', ${row}.name, 'categoryId', ${row}.category_id, 'status', ${row}.status))`

const moment = (value: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${value} / 1000.0, 'unixepoch')`

const order = (row: string) =>
  `json_object('order', json_object('id', ${row}.id, 'petId', ${row}.pet_id, 'status', ${row}.status,
    'createdAt', ${moment(`${row}.created_at`)}, 'updatedAt', ${moment(`${row}.updated_at`)}, 'note', ${row}.note))`

const category = (row: string) => `json_object('category', json_object('id', ${row}.id, 'name', ${row}.name))`

/** What SQL by hand changes. `operations` are their numbers, as SQL; `onInsert` is what else an insertion does. */
const byHand = [
  {
    table: "pets",
    petId: (row: string) => `${row}.id`,
    json: pet,
    operations: { INSERT: "1", UPDATE: "2", DELETE: "3" },
    // The store writes the other columns at the end of many transactions. Each name of the identifier, because only the name that
    // a statement uses counts.
    updated: "OF id, rowid, oid, _rowid_, name, category_id, status",
    onInsert: "UPDATE inventory SET pets = pets + 1 WHERE status = coalesce(NEW.status, '');",
  },
  {
    table: "orders",
    petId: (row: string) => `${row}.pet_id`,
    json: order,
    operations: {
      INSERT: "5",
      UPDATE:
        "CASE WHEN OLD.status = NEW.status THEN 9 ELSE CASE NEW.status WHEN 'completed' THEN 6 WHEN 'cancelled' THEN 7 WHEN 'returned' THEN 8 ELSE 9 END END",
      DELETE: "9",
    },
  },
  { table: "categories", petId: () => "NULL", json: category, operations: { INSERT: "10", UPDATE: "10", DELETE: "11" } },
]

/** Triggers that write the changes of SQL by hand. They call no function of ours, because other programs do not have it. */
const changesByHand = byHand
  .flatMap(({ table, petId, json, operations, updated = "", onInsert = "" }) =>
    (["INSERT", "UPDATE", "DELETE"] as const).map((event) => {
      const [before, after] = [event === "INSERT" ? "NULL" : json("OLD"), event === "DELETE" ? "NULL" : json("NEW")]
      const isChanged = event === "UPDATE" ? `AND ${json("OLD")} <> ${json("NEW")}` : ""
      return `CREATE TRIGGER ${table}_${event.toLowerCase()}_by_hand AFTER ${event} ${event === "UPDATE" ? updated : ""} ON ${table}
    WHEN (SELECT is_own FROM change_source) = 0 ${isChanged} BEGIN
      INSERT INTO changes (at, operation, pet_id, before, after)
        VALUES (${now}, ${operations[event]}, ${petId(event === "DELETE" ? "OLD" : "NEW")}, ${before}, ${after});
      ${event === "INSERT" ? onInsert : ""}
    END;`
    }),
  )
  .join("\n")

/** The steps, each of which runs in its own transaction. */
export const migrations: ReadonlyArray<string> = [
  // AUTOINCREMENT: an identifier is never assigned twice, even after its pet was deleted manually. An index on a rowid table ends
  // with the rowid, so the indexes have the order of pages.
  `CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT,
    reserved INTEGER NOT NULL DEFAULT 0, -- 1 while a placed order reserves the pet
    waiting_words TEXT NOT NULL DEFAULT '' -- see pet-words.ts
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE INDEX pets_by_category ON pets (category_id) WHERE waiting_words = '';
  CREATE VIRTUAL TABLE pet_words USING fts4 (words, tokenize=simple, matchinfo=fts3, prefix="1");

  -- Orders outlive their pets.
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL, -- ms since 1970, as every moment below
    updated_at INTEGER NOT NULL,
    note TEXT
  ) STRICT;
  CREATE INDEX orders_by_status ON orders (status);
  CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status);

  -- Category names. Callers choose the identifiers. A pet's category need not be in the table.
  CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;

  CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, hexadecimal
    deployment TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_on TEXT, -- YYYY-MM-DD, UTC
    label TEXT,
    replaced_by TEXT, -- the key that replaced this key
    read_only INTEGER NOT NULL DEFAULT 0 -- 0 or 1
  ) STRICT;

  -- Requests that may arrive twice, and the identifier that the first one created.
  CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL, -- SHA-256 of the body, hexadecimal
    resource_id INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (account_id, operation, key)
  ) STRICT;
  CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

  CREATE TABLE deprecated_calls (
    key_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    calls INTEGER NOT NULL,
    last_called_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, operation)
  ) STRICT;

  -- Endpoints that are told of changes. Settings and progress are JSON. The process that holds a webhook delivers.
  CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY,
    settings TEXT NOT NULL,
    progress TEXT NOT NULL,
    disabled TEXT, -- why
    holder TEXT,
    version INTEGER NOT NULL -- increases with each write
  ) STRICT;

  CREATE TABLE webhook_deliveries (
    webhook_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    change_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    tries INTEGER NOT NULL,
    status INTEGER NOT NULL, -- of the last response; 0 without one
    at INTEGER NOT NULL,
    next_at INTEGER, -- of the next try; NULL after the last
    PRIMARY KEY (webhook_id, number)
  ) STRICT;

  CREATE TABLE deployment (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), name TEXT NOT NULL) STRICT;

  -- When a service last proved that writes to the file succeed.
  CREATE TABLE writability (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), proven_at INTEGER NOT NULL) STRICT;
  INSERT INTO writability (only_row, proven_at) VALUES (1, 0);

  -- The number of pets by status; '' for no status. Triggers count what every program writes, but for the store's own
  -- insertions: the store counts those once for each transaction.
  CREATE TABLE inventory (status TEXT NOT NULL PRIMARY KEY, pets INTEGER NOT NULL) STRICT;
  INSERT INTO inventory (status, pets) VALUES ('', 0), ('available', 0), ('pending', 0), ('sold', 0);
  CREATE TRIGGER pets_moved AFTER UPDATE OF status ON pets BEGIN
    UPDATE inventory SET pets = pets - 1 WHERE status = coalesce(OLD.status, '');
    UPDATE inventory SET pets = pets + 1 WHERE status = coalesce(NEW.status, '');
  END;
  CREATE TRIGGER pets_deleted AFTER DELETE ON pets BEGIN
    UPDATE inventory SET pets = pets - 1 WHERE status = coalesce(OLD.status, '');
  END;

  -- During the store's own transactions, which write their changes themselves, is_own is 1.
  CREATE TABLE change_source (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), is_own INTEGER NOT NULL) STRICT;
  INSERT INTO change_source (only_row, is_own) VALUES (1, 0);

  -- What happened. Each side is JSON: {"pet": …, "order": …, "category": …}. Operations are numbered in change-rows.ts.
  CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    operation INTEGER NOT NULL,
    actor INTEGER, -- NULL for SQL by hand
    request_id TEXT,
    pet_id INTEGER,
    before TEXT,
    after TEXT
  ) STRICT;
  CREATE INDEX changes_by_pet ON changes (pet_id) WHERE pet_id IS NOT NULL;
  CREATE INDEX changes_of_lists ON changes (id) WHERE ${changesLists};

  -- An API key, or a command with an empty account.
  CREATE TABLE change_actors (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    UNIQUE (key_id, account_id)
  ) STRICT;

  -- The place of the newest change that was removed because of its age.
  CREATE TABLE removed_changes (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), last_place TEXT NOT NULL) STRICT;
  INSERT INTO removed_changes (only_row, last_place) VALUES (1, '0-0');
  ${changesByHand}`,
]

/** The version of a store that has completed every step. */
const latestOf = (steps: ReadonlyArray<string>): number => firstVersion + steps.length - 1

/** A database's schema version; 0 in a new one. */
const versionOf = (connection: DatabaseSync): number => Number(connection.prepare("PRAGMA user_version").get()?.["user_version"])

/** Why this program cannot use a database's schema; `undefined` if it can, perhaps after a migration. */
export const whySchemaRefused = (connection: DatabaseSync, what: string): string | undefined =>
  refusal(connection, what, migrations)

const refusal = (connection: DatabaseSync, what: string, steps: ReadonlyArray<string>): string | undefined => {
  const version = versionOf(connection)
  return version === 0 ? undefined : whyRefused(what, version, latestOf(steps))
}

/**
 * Runs the missing steps, each in its own transaction, so that the log contains only one step at a time and other writers run in
 * between. Other processes wait. A file without a schema takes all in one transaction.
 */
const takeSteps = (connection: DatabaseSync, steps: ReadonlyArray<string>): void => {
  const latest = latestOf(steps)
  const version = inTransaction(connection, () => {
    // Read again under the lock, because another process may have been faster, perhaps one of a newer release.
    const now = versionOf(connection)
    if (now >= latest) return now
    const next = now === 0 ? latest : now + 1
    const done = now === 0 ? 0 : now - firstVersion + 1
    for (const step of steps.slice(done, next - firstVersion + 1)) connection.exec(step)
    connection.exec(`PRAGMA user_version = ${next}`)
    return next
  })
  if (version < latest) takeSteps(connection, steps)
}

/** Dropping a table to rebuild it would delete referencing rows in manual tables, or fail. Transactions ignore this setting. */
const withoutForeignKeys = (connection: DatabaseSync, work: () => void): void => {
  connection.exec("PRAGMA foreign_keys = OFF")
  try {
    work()
  } finally {
    connection.exec("PRAGMA foreign_keys = ON")
  }
}

/** Checks the schema version and, on request, brings the schema up to date. A file without a schema is not a store yet. */
export const migrate = (
  connection: DatabaseSync,
  path: string,
  options: Pick<ServiceStorageOptions, "migrate" | "mustExist" | "onMade">,
  steps: ReadonlyArray<string> = migrations,
): Effect.Effect<void, StorageNotOpened> =>
  Effect.suspend(() => {
    const refuse = Effect.suspend(() => {
      const reason = refusal(connection, "The store", steps)
      return reason === undefined ? Effect.void : new StorageNotOpened({ reason })
    })
    const version = versionOf(connection)
    const latest = latestOf(steps)
    if (version >= latest || (version > 0 && version < firstVersion)) return refuse
    if (version === 0 && options.mustExist === true) return missingStore(path)
    if (options.migrate) {
      const tell = version === 0 ? Effect.sync(() => options.onMade?.()) : Effect.void
      withoutForeignKeys(connection, () => takeSteps(connection, steps))
      return Effect.zipRight(refuse, tell)
    }
    const reason = `The store has schema version ${version}, but this program needs ${latest}.`
    return new StorageNotOpened({ reason, schemaIsOlder: true })
  })
