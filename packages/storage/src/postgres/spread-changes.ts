/**
 * Changes in a Citus cluster: functions, because Citus carries out a data-modifying CTE on several tables on the coordinator, row
 * by row, and commits its parts separately. A function's statements each ask the shard of the pet, and share a transaction.
 *
 * Each shard of pets has a slot of its own: a row of `inventory` whose key is on that shard. A pet's changes are in its shard's slot,
 * and those of a category in the slot that a pet with the same identifier would have.
 */
import * as Effect from "effect/Effect"
import { numberOfOperation } from "../change-rows.js"
import { isKnown } from "./app-table.js"
import { changeFunctions, plpgsql, recordColumns } from "./change-statements.js"
import { changeColumns, petJson, sideOf } from "./change-writes.js"
import type { Run } from "./engine/connection.js"
import type { StatementFailed } from "./engine/errors.js"
import { slots } from "./inventory-repository.js"
import { moveChanges } from "./webhook-places.js"

/** The distance between two identifiers of changes in a slot: more than a cluster has shards. */
export const spreadStep = 4_096

/** The first identifiers are further above all earlier ones than services reach that have not read the new layout yet. */
const gap = 2n ** 40n

const functions: ReadonlyArray<string> = [
  plpgsql(
    `record_change(int8, int8, int8, int8, int8, text, text, text) RETURNS void`,
    "last int8;",
    `UPDATE inventory SET last_change = last_change + ${spreadStep} WHERE slot = $1 RETURNING last_change INTO STRICT last;
    INSERT INTO changes (slot, id, ${recordColumns}) VALUES ($1, last, $2, $3, $4, $5, $6, $7, $8);`,
  ),

  // The identifiers of a group are those of one shard among the next ones, so that one node commits it.
  plpgsql(
    "create_pets(text[], int8[], text[], text[], int8[], text[], int8) RETURNS TABLE (place int8, id int8)",
    "ours regclass := pg_get_serial_sequence('pets', 'id'); next int8; its_slot int8; last int8; ids int8[] := '{}';",
    `WHILE cardinality(ids) < cardinality($1) LOOP
      next := nextval(ours);
      its_slot := coalesce(its_slot, change_slot(next));
      IF change_slot(next) = its_slot THEN ids := ids || next; END IF;
    END LOOP;
    EXECUTE (SELECT 'INSERT INTO pets (id, name, category_id, status, words) VALUES '
        || string_agg(format('(%s, %L, %s, %L, %L)', id, name, category_id, status, words), ',')
      FROM unnest(ids, $1, $2, $3, $4) AS pet (id, name, category_id, status, words));
    UPDATE inventory SET last_change = last_change + ${spreadStep} * cardinality(ids) WHERE slot = its_slot RETURNING last_change INTO STRICT last;
    EXECUTE (SELECT 'INSERT INTO changes (${changeColumns}) VALUES '
        || string_agg(format('(%s, %s, %s, ${numberOfOperation("createPet")}, %L::int8, %L, %s, NULL, %L)', its_slot,
          last - ${spreadStep} * (cardinality(ids) - place), $7, actor, request_id, id, ${sideOf({ pet: petJson("pet") })}), ',')
      FROM unnest(ids, $1, $2, $3, $5, $6) WITH ORDINALITY AS pet (id, name, category_id, status, actor, request_id, place));
    RETURN QUERY SELECT made.place, made.id FROM unnest(ids) WITH ORDINALITY AS made (id, place);`,
  ),

  plpgsql(
    "remove_changes(int8, int8, text) RETURNS SETOF int8",
    "",
    `INSERT INTO removed_changes (slot, last_id, tag) VALUES ($1, $2, $3)
      ON CONFLICT (slot) DO UPDATE SET last_id = EXCLUDED.last_id, tag = EXCLUDED.tag WHERE removed_changes.last_id < EXCLUDED.last_id;
    RETURN QUERY DELETE FROM changes WHERE slot = $1 AND id <= $2 RETURNING id;`,
  ),

  ...changeFunctions(),
]

/** For each shard of pets, in the order of their ranges, the lowest key above the slots of one node that is on the shard. */
const keys = `SELECT min(key)::int8 FROM generate_series(${slots}, 100000) AS key
  JOIN pg_dist_shard ON worker_hash(key::int8) BETWEEN shardminvalue::int AND shardmaxvalue::int
  WHERE logicalrelid = 'pets'::regclass GROUP BY shardid, shardminvalue ORDER BY shardminvalue::int`

/** As Citus divides the hashes when it distributes a table, and as they were then, so that the slot of a pet never changes. */
const slotFunction = (found: ReadonlyArray<unknown>): string =>
  `CREATE FUNCTION change_slot(int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT ('{${found.join()}}'::int8[])[1 + least(${found.length - 1}, (worker_hash($1)::int8 + 2147483648) / ${Math.floor(2 ** 32 / found.length)})] $$`

/** Gives each shard of pets a slot, and moves the changes there. The caller then distributes the tables with the changes. */
export const prepareSpreadChanges = (run: Run): Effect.Effect<void, StatementFailed> =>
  Effect.gen(function* () {
    const [known] = yield* run("SELECT to_regprocedure('change_slot(int8)')::text")
    if (known?.[0] == null) {
      const found = (yield* run(keys)).map(([key]) => key)
      yield* run(slotFunction(found))
    }
    if (!(yield* isKnown(run, "inventory"))) {
      const [row] = yield* run("SELECT max(last_change) FROM inventory WHERE slot < $1", [slots])
      const base = (BigInt(String(row?.[0] ?? 0)) / gap + 1n) * gap
      const slotsOfShards = `SELECT DISTINCT change_slot(id) AS slot FROM generate_series(1, 100000) AS id`
      yield* run(
        `INSERT INTO inventory (slot, without_status, available, pending, sold, last_change)
         SELECT slot, 0, 0, 0, 0, $1::int8 + row_number() OVER (ORDER BY slot) FROM (${slotsOfShards}) AS found ON CONFLICT (slot) DO NOTHING`,
        [base],
      )
    }
    // Once only, because a change that is stored later may have a lower identifier than those that readers of its slot have seen.
    const moved = yield* run("SELECT 1 FROM changes WHERE slot >= $1 LIMIT 1", [slots])
    if (moved.length === 0 && !(yield* isKnown(run, "changes"))) yield* moveChanges(run, "change_slot(coalesce(pet_id, 0))")
    for (const made of functions) yield* run(made)
  })
