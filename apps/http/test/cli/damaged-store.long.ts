/** A store whose file is damaged: the service, `/readyz` and the doctor say so, and do not ask clients to try again. */
import { closeSync, openSync, statSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { environmentIn, run } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** Overwrites all but the first 256 KiB of a file, as a failing disk could. The first pages, with the schema and some pets, stay whole. */
const damage = (file: string): void => {
  const whole = 256 * 1024
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, Buffer.alloc(statSync(file).size - whole, 7), 0, undefined, whole)
  closeSync(descriptor)
}

it.each(["sqlite", "sqljs"])(
  "a damaged %s store is reported by requests, /readyz and the doctor, for as long as it is served",
  async (engine) => {
    const folder = temporaryFolder()
    const store = join(folder, "petstore.db")
    const environment = environmentIn(folder, { DATABASE_URL: `${engine}:${store}` })
    const first = await serve(environment)
    const { key } = first
    await first.stop()
    const pets = join(folder, "pets.ndjson")
    writeFileSync(pets, Array.from({ length: 5_000 }, (_, number) => `{"name":"pet ${number}","categoryId":1}`).join("\n"))
    expect(await run(environment, "import", pets)).toMatchObject({ exitCode: 0 })
    damage(store)

    const doctor = await run(environment, "doctor", "--json")
    expect(doctor).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("It is damaged: ") })

    const service = await serve(environment)
    const message = "The store is damaged. Its operator has to restore a backup."
    const failure = (text: string) => ({ code: "storage_unavailable", message: text, status: 503 })
    const send = async (path: string, init: RequestInit = {}): Promise<unknown> => {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
      return (await fetch(new URL(path, service.origin), { ...init, headers })).json()
    }
    // Reads every page, because some are whole.
    const found: Array<unknown> = []
    for (let id = 1; id < 5_000; id += 100) found.push(await send(`/v1/pets?id=${id}`))
    expect(found).toContainEqual(failure(message))
    expect(await send("/readyz")).toEqual(failure(message))
    const body = JSON.stringify({ name: "one more", categoryId: 1 })
    expect(await send("/v1/pets", { method: "POST", body })).toEqual(failure(`${message} Nothing was stored.`))
    expect(await send("/readyz")).toEqual(failure(message))
    expect(await service.stop()).toBe(0)
  },
)
