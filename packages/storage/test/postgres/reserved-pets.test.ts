/** Tests reserved pets in a PostgreSQL store that manual SQL has changed. */
import { correctPet, PetId } from "@petstore/core"
import { expect, it } from "vitest"
import { sql, withStore } from "../postgres-store.js"

it("a pending pet that manual SQL inserted is not reserved", () =>
  withStore(async ({ run }, url) => {
    await sql(url, "INSERT INTO pets (id, name, category_id, status) VALUES (1, 'Bello', 1, 'pending')")
    expect(await run(correctPet(PetId.make(1n), { status: "sold" }))).toMatchObject({ status: "sold" })
  }))

it("a reserved pet can be renamed even while a new order replaces the order that reserves the pet", async () => {
  await withStore(async ({ run }, url) => {
    // The trigger skips the first change, as if no order reserved the pet at that time. The next read finds the pet reserved.
    await sql(
      url,
      `INSERT INTO pets (id, name, category_id, status, reserved) VALUES (1, 'Belo', 1, 'pending', true);
       INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (1, 'placed', 0, 0);
       CREATE SEQUENCE skips;
       CREATE FUNCTION skip_first() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN IF nextval('skips') = 1 THEN RETURN NULL; END IF; RETURN NEW; END$$;
       CREATE TRIGGER skip_first BEFORE UPDATE ON pets FOR EACH ROW EXECUTE FUNCTION skip_first()`,
    )
    expect(await run(correctPet(PetId.make(1n), { name: "Bello" }))).toMatchObject({ name: "Bello", status: "pending" })
  })
})
