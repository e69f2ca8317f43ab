/** Tests reserved pets in a PostgreSQL store that an older release or manual SQL has changed. */
import { correctPet, PetId } from "@petstore/core"
import { expect, it } from "vitest"
import { newStoreDatabase, serveUntil, sql, withStore } from "../postgres-store.js"

const freeOnes = "SELECT id FROM pets WHERE free ORDER BY id"

/** Serves a store until a query returns these identifiers. */
const serveUntilFound = (url: string, query: string, ids: ReadonlyArray<string>, timeout = 10_000) =>
  serveUntil(url, () => expect.poll(async () => (await sql(url, query)).map(({ id }) => id), { timeout }).toStrictEqual(ids))

it("a serving process corrects wrong values of `free` in both directions, even if it does not migrate", async () => {
  const url = await newStoreDatabase()
  await sql(
    url,
    `INSERT INTO pets (id, name, category_id, status, free) VALUES
       (1, 'Ada', 1, 'pending', false), (2, 'Bello', 1, 'pending', true), (3, 'Coco', 1, 'sold', false),
       (4, 'Dana', 1, 'pending', true), (5, 'Emil', 1, 'pending', false);
     INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES
       (1, 'cancelled', 0, 0), (2, 'placed', 0, 0), (3, 'completed', 0, 0), (5, 'placed', 0, 0)`,
  )
  await serveUntilFound(url, freeOnes, ["1", "4"])
})

it("a serving process corrects thousands of values of `free`, and starts the next round only after a pause", async () => {
  const url = await newStoreDatabase()
  await sql(
    url,
    `INSERT INTO pets (id, name, category_id, status) SELECT n, 'Bello', 1, 'pending' FROM generate_series(-3000, 3000) n;
     INSERT INTO orders (pet_id, status, created_at, updated_at) SELECT n, 'placed', 0, 0 FROM generate_series(-3000, 3000) n WHERE n % 2 <> 0`,
  )
  const wrong = "SELECT id FROM pets WHERE free <> (id % 2 = 0)"
  await serveUntilFound(url, wrong, [])
  await sql(url, "UPDATE pets SET free = false WHERE id = 6")
  await expect(serveUntilFound(url, wrong, [], 1_000)).rejects.toThrow()
  await sql(url, "UPDATE petstore_processes SET wrote_at = now() - interval '6 minutes'")
  await serveUntilFound(url, wrong, [])
})

it("a reserved pet can be renamed even while a new order replaces the order that reserves the pet", async () => {
  await withStore(async ({ run }, url) => {
    // The trigger skips the first change, as if no order reserved the pet at that time. The next read finds the pet reserved.
    await sql(
      url,
      `INSERT INTO pets (id, name, category_id, status) VALUES (1, 'Belo', 1, 'pending');
       INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (1, 'placed', 0, 0);
       CREATE SEQUENCE changes;
       CREATE FUNCTION skip_first() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN IF nextval('changes') = 1 THEN RETURN NULL; END IF; RETURN NEW; END$$;
       CREATE TRIGGER skip_first BEFORE UPDATE ON pets FOR EACH ROW EXECUTE FUNCTION skip_first()`,
    )
    expect(await run(correctPet(PetId.make(1n), { name: "Bello" }))).toMatchObject({ name: "Bello", status: "pending" })
  })
})
