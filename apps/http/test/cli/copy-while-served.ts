/** Copies a store with `petstore copy --follow` while it is served, with kills on both sides. */
import { spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { commandPath, type Environment, environmentIn, petstore, run } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve } from "@petstore/harness/testing"
import { expect } from "vitest"
import { checksumOf, on } from "./copied-store.js"

/** Clients that write until they are stopped, and what was acknowledged to them. */
class Clients {
  readonly created = new Map<bigint, string>()
  readonly #loops: ReadonlyArray<Promise<void>>
  readonly #service: () => Service
  readonly #headers: Readonly<Record<string, string>>
  #isOver = false

  constructor(service: () => Service, key: string) {
    this.#service = service
    this.#headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
    this.#loops = Array.from({ length: 4 }, (_, client) => this.#write(client))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  async #send(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) {
    try {
      const response = await fetch(`${this.#service().baseUrl}${path}`, {
        method,
        headers: { ...this.#headers, ...more },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    } catch {
      // The service was killed.
      await sleep(20)
      return { status: 0, text: "" }
    }
  }

  async #create(name: string): Promise<string | undefined> {
    const pet = { name, categoryId: 1, status: "available" }
    const { status, text } = await this.#send("POST", "/pets", pet, { "Idempotency-Key": name.replaceAll(" ", "-") })
    return status === 201 ? /"id":(\d+)/.exec(text)?.[1] : undefined
  }

  async #write(client: number): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const name = `pet ${client}.${count}`
      const kept = await this.#create(name)
      if (kept === undefined) continue
      this.created.set(BigInt(kept), name)
      const { text } = await this.#send("POST", "/store/orders", { petId: Number(kept), note: name })
      const order = /"id":(\d+)/.exec(text)?.[1]
      if (order !== undefined) {
        await this.#send("POST", `/store/orders/${order}/${["complete", "cancel", "complete"][count % 3]}`)
        if (count % 3 === 2) await this.#send("POST", `/store/orders/${order}/return`)
      }
      const other = await this.#create(`${name} that changes`)
      if (other === undefined) continue
      await this.#send(
        "PATCH",
        `/pets/${other}`,
        { name: `${name} renamed`, status: "sold" },
        { "Content-Type": "application/merge-patch+json" },
      )
      if (count % 2 === 0) await this.#send("DELETE", `/pets/${other}`)
      if (count % 4 === 0) await this.#send("POST", `/pets/${other}/restore`)
      await this.#send("PUT", `/categories/${count % 9}`, { name })
      if (count % 5 === 0) await this.#send("DELETE", `/categories/${count % 9}`)
      await sleep(5)
    }
  }
}

const startCopy = (environment: Environment, to: string) => {
  const child = spawn(commandPath("petstore"), ["copy", "--to", to, "--follow", "--json"], { env: environment })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve))
  return { child, ended, stdout: () => stdout, stderr: () => stderr, mayStop: () => stderr.includes("Now stop every service") }
}

interface Followed {
  readonly folder: string
  readonly from: string
  readonly to: string
  /** How long each copy runs that is killed. */
  readonly killedAfterMillis: ReadonlyArray<number>
}

/** Fails if a copy that follows loses, doubles or alters something. */
export const copyWhileServed = async ({ folder, from, to, killedAfterMillis }: Followed): Promise<void> => {
  const environment = environmentIn(folder, { DATABASE_URL: from, LOG_LEVEL: "error" })
  let service = await serve(environment)
  const { key } = service
  const restart = async () => {
    await service.kill()
    service = await serve(environment)
  }
  const clients = new Clients(() => service, key)
  await expect.poll(() => clients.created.size, { timeout: 15_000 }).toBeGreaterThan(30)

  for (const delay of killedAfterMillis) {
    const killed = startCopy(environment, to)
    await sleep(delay)
    killed.child.kill("SIGKILL")
    await killed.ended
    expect(killed.stdout()).toBe("")
  }
  const copy = startCopy(environment, to)
  await restart()
  await expect.poll(copy.mayStop, { timeout: 60_000 }).toBe(true)
  // A killed service does not count as stopped, because a supervisor starts it again.
  for (let count = 0; count < 3; count += 1) {
    await sleep(700)
    await restart()
  }
  const account = await petstore(environment, "accounts", "create", "Late")
  expect(account["name"]).toBe("Late")
  await petstore(environment, "webhooks", "add", "http://127.0.0.1:9/hook")
  await sleep(1_000)
  expect(copy.child.exitCode, copy.stderr()).toBe(null)

  const stopping = clients.stop()
  await service.stop()
  await stopping
  expect(await copy.ended, copy.stderr()).toBe(0)
  const copied = JSON.parse(copy.stdout())
  const former = await checksumOf(from)
  expect(await checksumOf(to)).toStrictEqual(former)
  expect(copied.checksum).toBe(former["checksum"])
  const now = environmentIn(folder, { DATABASE_URL: to })
  await using next = await serve(now)
  const headers = { Authorization: `Bearer ${key}` }
  for (const [id, name] of clients.created) {
    const response = await fetch(`${next.baseUrl}/pets/${id}`, { headers })
    expect(await response.text(), `pet ${id}`).toContain(`"name":"${name}"`)
  }
  expect((await run(on(to), "doctor", "--recount", "--json")).stdout).toContain('"differed":false')
  expect((await run(on(to), "accounts", "list")).stdout).toContain("Late")
}
