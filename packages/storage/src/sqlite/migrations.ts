/** The schema, as migration steps. A released step never changes. `PRAGMA user_version` is the number of completed steps. */
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { newerSchema, StorageNotOpened } from "../storage-not-opened.js"
import type { ServiceStorageOptions } from "../storage-options.js"
import { inTransaction } from "./engine/connection.js"
import { missingStore } from "./engine/store-file.js"

/** A migration step, which runs in its own transaction: SQL, or a function if SQL is not enough. */
type Step = string | ((connection: DatabaseSync) => void)

/** A trigger statement that records the values under which the index can contain a pet. Only the first change is recorded. */
const insertOutdated = (row: "OLD" | "NEW"): string =>
  `INSERT INTO outdated_entries (pet_id, name, category_id) SELECT ${row}.id, ${row}.name, ${row}.category_id
    WHERE NOT EXISTS (SELECT 1 FROM outdated_entries WHERE pet_id = ${row}.id)`

const migrations: ReadonlyArray<Step> = [
  // AUTOINCREMENT: an identifier is never assigned twice, even after its pet was deleted manually. An index on a rowid table ends
  // with the rowid, so the index on status is ordered by (status, id).
  `CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL;

  CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL -- ms since 1970, as every moment below
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, hexadecimal
    deployment TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_on TEXT -- YYYY-MM-DD, UTC
  ) STRICT;

  -- A table that belongs to apps/quickstart. The first release created it here; the app adopts it.
  CREATE TABLE messages (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL
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
  ) STRICT;`,

  // An order and its pet change together. The page cache reads `pet_changes` to find out whether a status has changed.
  `CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL REFERENCES pets (id),
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orders_by_status ON orders (status);

  CREATE TABLE pet_changes (id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL) STRICT;
  INSERT INTO pet_changes (id, changes) VALUES (1, 0);`,

  // The number of pets by status; '' for no status. Triggers count, so that writes by a process of an older release are included.
  `CREATE TABLE inventory (status TEXT NOT NULL PRIMARY KEY, pets INTEGER NOT NULL) STRICT;
  INSERT INTO inventory (status, pets)
    SELECT known.status, (SELECT count(*) FROM pets WHERE coalesce(pets.status, '') = known.status)
    FROM (SELECT '' AS status UNION ALL SELECT 'available' UNION ALL SELECT 'pending' UNION ALL SELECT 'sold') AS known;
  CREATE TRIGGER pets_inserted AFTER INSERT ON pets BEGIN
    UPDATE inventory SET pets = pets + 1 WHERE status = coalesce(NEW.status, '');
  END;
  CREATE TRIGGER pets_moved AFTER UPDATE OF status ON pets BEGIN
    UPDATE inventory SET pets = pets - 1 WHERE status = coalesce(OLD.status, '');
    UPDATE inventory SET pets = pets + 1 WHERE status = coalesce(NEW.status, '');
  END;
  CREATE TRIGGER pets_deleted AFTER DELETE ON pets BEGIN
    UPDATE inventory SET pets = pets - 1 WHERE status = coalesce(OLD.status, '');
  END;`,

  // The store's deployment and the key labels. Processes of older releases write neither.
  `CREATE TABLE deployment (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), name TEXT NOT NULL) STRICT;
  ALTER TABLE api_keys ADD COLUMN label TEXT;`,

  // The key that replaced this key.
  "ALTER TABLE api_keys ADD COLUMN replaced_by TEXT;",

  // When a service last proved that writes to the file succeed.
  `CREATE TABLE writability (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), proven_at INTEGER NOT NULL) STRICT;
  INSERT INTO writability (only_row, proven_at) VALUES (1, 0);`,

  // Indexes for a category's pets and a pet's orders.
  "CREATE INDEX pets_by_category ON pets (category_id); CREATE INDEX orders_by_pet ON orders (pet_id);",

  // A pending pet that no placed order reserves is free. A row from an older release is not marked as free, so it counts as
  // reserved: see `freePets`. Orders outlive their pets. Triggers count changes to pets, so writes by every program are counted.
  (connection) => {
    connection.exec("ALTER TABLE pets ADD COLUMN free INTEGER NOT NULL DEFAULT 0")
    rebuildOrders(connection)
    connection.exec(`CREATE TRIGGER pets_changed AFTER UPDATE OF id, name, category_id, status ON pets BEGIN
      UPDATE pet_changes SET changes = changes + 1 WHERE id = 1;
    END;
    CREATE TRIGGER pets_removed AFTER DELETE ON pets BEGIN
      UPDATE pet_changes SET changes = changes + 1 WHERE id = 1;
    END;`)
  },

  // Category names. Callers choose the identifiers. A pet's category need not be in the table.
  "CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;",

  // Read-only keys: 0 or 1. Keys that a process of an older release creates may change data.
  "ALTER TABLE api_keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0;",

  // A new pet is last in the list, but a pet that manual SQL inserts before existing ones changes cached pages.
  `CREATE TRIGGER pets_squeezed AFTER INSERT ON pets WHEN NEW.id < (SELECT max(id) FROM pets) BEGIN
    UPDATE pet_changes SET changes = changes + 1 WHERE id = 1;
  END;`,

  // A name's search key. A pet enters both indexes when it gets its key; a renamed pet waits for a new key.
  `ALTER TABLE pets ADD COLUMN search_key TEXT;
  CREATE INDEX pets_by_search_key ON pets (search_key);
  DROP INDEX pets_by_category;
  CREATE INDEX pets_by_category ON pets (category_id) WHERE search_key IS NOT NULL;
  CREATE TRIGGER pets_renamed AFTER UPDATE OF name ON pets WHEN NEW.name <> OLD.name BEGIN
    UPDATE pets SET search_key = NULL WHERE id = NEW.id;
  END;
  CREATE TABLE search_keys (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    unicode_version TEXT NOT NULL,
    checked_to INTEGER NOT NULL
  ) STRICT;`,

  // An index for a pet's orders with one status.
  "CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status); DROP INDEX orders_by_pet;",

  // The search index: see `search-index.ts`. Both tables contain the pets up to `indexed_to`, except those in `outdated_entries`,
  // to which triggers add pets that any program changes, with the values under which the tables may contain them.
  `DROP INDEX pets_by_search_key; DROP INDEX pets_by_category;
  DROP TRIGGER pets_renamed;
  DROP TABLE search_keys;
  ALTER TABLE pets DROP COLUMN search_key;
  CREATE TABLE pets_by_name (search_key TEXT NOT NULL, pet_id INTEGER NOT NULL, PRIMARY KEY (search_key, pet_id))
    STRICT, WITHOUT ROWID;
  CREATE TABLE pets_by_category (category INTEGER NOT NULL, pet_id INTEGER NOT NULL, PRIMARY KEY (category, pet_id))
    STRICT, WITHOUT ROWID;
  CREATE TABLE search_index (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    unicode_version TEXT NOT NULL,
    indexed_to INTEGER NOT NULL
  ) STRICT;
  INSERT INTO search_index (only_row, unicode_version, indexed_to) VALUES (1, '', -9223372036854775808);
  CREATE TABLE outdated_entries (pet_id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL) STRICT;
  CREATE TRIGGER pets_reindexed AFTER UPDATE OF id, name, category_id ON pets
  WHEN NEW.id <> OLD.id OR NEW.name <> OLD.name OR NEW.category_id <> OLD.category_id BEGIN
    ${insertOutdated("OLD")};
    ${insertOutdated("NEW")};
  END;
  CREATE TRIGGER pets_unindexed AFTER DELETE ON pets BEGIN
    ${insertOutdated("OLD")};
  END;
  CREATE TRIGGER pets_placed AFTER INSERT ON pets
  WHEN NEW.id <= (SELECT indexed_to FROM search_index WHERE only_row = 1)
    OR NEW.id <= (SELECT seq FROM sqlite_sequence WHERE name = 'pets') BEGIN
    ${insertOutdated("NEW")};
  END;`,

  `DROP TABLE pets_by_name; DROP TABLE pets_by_category; DROP TABLE search_index; DROP TABLE outdated_entries;
  DROP TRIGGER pets_reindexed; DROP TRIGGER pets_unindexed; DROP TRIGGER pets_placed; DROP INDEX pets_by_status;
  CREATE INDEX pets_by_status ON pets (status);
  CREATE INDEX pets_by_category ON pets (category_id);
  CREATE VIRTUAL TABLE pet_words USING fts4 (words, tokenize=simple, matchinfo=fts3, prefix="1");`,
]

/** Rebuilds the orders table without the reference to pets. Keeps columns, indexes, triggers and views from manual SQL. */
const rebuildOrders = (connection: DatabaseSync): void => {
  const textsOf = (condition: string): ReadonlyArray<string> =>
    connection
      .prepare(`SELECT sql FROM sqlite_schema WHERE tbl_name = 'orders' AND sql IS NOT NULL AND ${condition}`)
      .all()
      .map(({ sql }) => String(sql))
  const besides = textsOf("type <> 'table'")
  const [table = ""] = textsOf("type = 'table'")
  connection.exec(
    // The table does not exist for a short time, which views must tolerate.
    `PRAGMA legacy_alter_table = ON;
    ${table.replace(/^CREATE TABLE\s+\S+/, "CREATE TABLE lasting_orders").replace(/\sREFERENCES pets \(id\)/, "")};
    INSERT INTO lasting_orders SELECT * FROM orders;
    DELETE FROM sqlite_sequence WHERE name = 'lasting_orders';
    INSERT INTO sqlite_sequence (name, seq) SELECT 'lasting_orders', seq FROM sqlite_sequence WHERE name = 'orders';
    DROP TABLE orders;
    ALTER TABLE lasting_orders RENAME TO orders;
    ${besides.join(";\n")};
    PRAGMA legacy_alter_table = OFF;`,
  )
}

/** Corrects which pending pets count as reserved: an older release's all do. Reads first, so that often no lock is needed. */
const freePets = (connection: DatabaseSync): void => {
  const isWrong = "status = 'pending' AND free = (id IN (SELECT pet_id FROM orders WHERE status = 'placed'))"
  if (connection.prepare(`SELECT 1 FROM pets WHERE ${isWrong} LIMIT 1`).get() === undefined) return
  inTransaction(connection, () => connection.exec(`UPDATE pets SET free = NOT free WHERE ${isWrong}`))
}

export const schemaVersion = migrations.length

/** The number of completed steps in a database; 0 in a new one. */
export const versionOf = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA user_version").get()?.["user_version"])

const refuseNewer = (version: number): Effect.Effect<void, StorageNotOpened> =>
  version <= schemaVersion ? Effect.void : new StorageNotOpened({ reason: newerSchema("The store", version, schemaVersion) })

/**
 * Runs the missing steps, each in its own transaction, so that the log contains only one step at a time and writers of an older
 * release run in between. Other processes wait. A file without a schema takes all in one transaction. Returns the version.
 */
const takeSteps = (connection: DatabaseSync): number => {
  const version = inTransaction(connection, () => {
    // Read again under the lock, because another process may have been faster, perhaps one of a newer release.
    const now = versionOf(connection)
    if (now >= schemaVersion) return now
    const steps = now === 0 ? migrations : migrations.slice(now, now + 1)
    for (const step of steps) typeof step === "string" ? connection.exec(step) : step(connection)
    connection.exec(`PRAGMA user_version = ${now + steps.length}`)
    return now + steps.length
  })
  return version < schemaVersion ? takeSteps(connection) : version
}

/** Dropping a table to rebuild it would delete referencing rows in manual tables, or fail. Transactions ignore this setting. */
const withoutForeignKeys = <A>(connection: DatabaseSync, work: (connection: DatabaseSync) => A): A => {
  connection.exec("PRAGMA foreign_keys = OFF")
  try {
    return work(connection)
  } finally {
    connection.exec("PRAGMA foreign_keys = ON")
  }
}

/** Checks the schema version and, on request, brings the schema up to date. A file without a schema is not a store yet. */
export const migrate = (
  connection: DatabaseSync,
  path: string,
  options: Pick<ServiceStorageOptions, "migrate" | "mustExist" | "onMade" | "leavesUpkeep">,
): Effect.Effect<void, StorageNotOpened> =>
  Effect.suspend(() => {
    const version = versionOf(connection)
    // A store that is locked or on a full disk still opens. Until the next start, uncorrected pets count as reserved.
    const free = Effect.ignore(Effect.try(() => freePets(connection)))
    const isLeft = options.leavesUpkeep === true
    // After a migration all pending pets count as reserved, so a command corrects them too.
    const correct = free
    if (version >= schemaVersion) return Effect.zipRight(refuseNewer(version), options.migrate && !isLeft ? correct : Effect.void)
    if (version === 0 && options.mustExist === true) return missingStore(path)
    if (options.migrate) {
      const tell = version === 0 ? Effect.sync(() => options.onMade?.()) : Effect.void
      return refuseNewer(withoutForeignKeys(connection, takeSteps)).pipe(Effect.zipRight(correct), Effect.zipRight(tell))
    }
    const reason = `The store has schema version ${version}, but this program needs ${schemaVersion}.`
    return new StorageNotOpened({ reason, schemaIsOlder: true })
  })
