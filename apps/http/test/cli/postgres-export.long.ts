/** `petstore export` while PostgreSQL commits an order after another order that has a higher identifier. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { commandPath, environmentIn, petstore } from "@petstore/harness/command"
import { temporaryFolder } from "@petstore/harness/testing"
import { newPostgresDatabase } from "@petstore/test/postgres"
import { Client } from "pg"
import { expect, it } from "vitest"

it("export --before-orders writes a pet's status before its order, even if the order commits during the export", async () => {
  const environment = environmentIn(temporaryFolder(), { DATABASE_URL: await newPostgresDatabase() })
  await petstore(environment, "migrate")
  const [one, late] = [new Client(environment["DATABASE_URL"]), new Client(environment["DATABASE_URL"])]
  await Promise.all([one.connect(), late.connect()])
  try {
    // With names this long, the export waits for its reader before it has read half of the pets. One pet is sold from the start.
    await one.query(`INSERT INTO pets (name, category_id, status)
      SELECT repeat('x', 1000), 1, CASE id WHEN 2999 THEN 'sold' ELSE 'available' END FROM generate_series(1, 3000) id`)
    const order = (pet: number) =>
      `UPDATE pets SET status = 'pending' WHERE id = ${pet};
       INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (${pet}, 'placed', 0, 0)`
    await late.query(`BEGIN; ${order(3000)}`)
    await one.query(order(1))

    const exporting = spawn(commandPath("petstore"), ["export", "--before-orders", "-"], {
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    })
    let written = ""
    exporting.stdout.setEncoding("utf8")
    const begun = new Promise<void>((resolve) => {
      exporting.stdout.on("data", (text: string) => {
        if (written === "") exporting.stdout.pause()
        written += text
        resolve()
      })
    })
    await begun
    await late.query("COMMIT")
    exporting.stdout.resume()
    await once(exporting, "close")

    const pets = written
      .trimEnd()
      .split("\n")
      .map((line): { id: number; status: string } => JSON.parse(line))
    expect(pets).toHaveLength(3000)
    expect(pets.filter(({ status }) => status !== "available").map(({ id }) => id)).toStrictEqual([2999])
  } finally {
    await Promise.all([one.end(), late.end()])
  }
})
