/**
 * Kills services while they deliver to three endpoints that fail: one is slow, one responds late, with errors or not at all, and
 * one is away for a while. Compares what the endpoints took with the feed.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { type Environment, run } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { expect } from "vitest"

type Respond = (response: ServerResponse, accept: () => void) => void

const slow: Respond = (_, accept) => void setTimeout(accept, 20 + Math.random() * 60)

const flaky: Respond = (response, accept) => {
  const chance = Math.random()
  if (chance < 0.02) response.destroy()
  else if (chance < 0.04) response.writeHead(503).end()
  else if (chance < 0.2) setTimeout(accept, 200)
  else accept()
}

const steady: Respond = (_, accept) => accept()

/** An endpoint, with the changes that it took, repetitions included. */
const openEndpoint = async (respond: Respond) => {
  const taken: Array<{ readonly id: string; readonly at: string }> = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const { data } = JSON.parse(body)
    respond(response, () => {
      // What the service can no longer read, it does not count as taken.
      if (response.destroyed || request.socket.destroyed) return
      taken.push({ id: data.id, at: data.at })
      response.writeHead(204).end()
    })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await listen(0)
  // Safe: the server listens on TCP.
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, taken, close, listen: () => listen(port) }
}

export interface Tortured {
  readonly changes: number
  readonly missing: number
  readonly invented: number
  readonly disordered: number
  /** Changes that an endpoint took again, and those of them that it took again after a later one. */
  readonly doubled: number
  readonly doubledLater: number
  readonly kills: number
}

/** Longer than the first pause. A webhook that fails for longer waits for minutes. */
const longPauseMillis = 7_000

/** Lets webhooks go on at once that have failed more than once. */
const hurry = async (environment: Environment): Promise<void> => {
  const { stdout } = await run(environment, "webhooks", "list", "--json")
  for (const { id, failingSince } of JSON.parse(stdout)) {
    if (failingSince === null || Date.parse(failingSince) > Date.now() - longPauseMillis) continue
    expect((await run(environment, "webhooks", "enable", id)).exitCode).toBe(0)
  }
}

/**
 * @param services  how many services share the store. With two, one is killed or stopped while the other goes on
 */
export const torture = async (environment: Environment, rounds: number, services: 1 | 2): Promise<Tortured> => {
  const running = [await serve(environment)]
  const key = running[0]?.key
  if (services === 2) running.push(await serve(environment))
  const endpoints = [await openEndpoint(slow), await openEndpoint(flaky), await openEndpoint(steady)]
  for (const { url } of endpoints) expect((await run(environment, "webhooks", "add", url)).exitCode).toBe(0)
  let kills = 0
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }

  const create = async (name: string): Promise<void> => {
    const { baseUrl } = running.at(-1) ?? {}
    await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: JSON.stringify({ name, categoryId: 1 }) })
  }

  for (let round = 0; round < rounds; round += 1) {
    const creating = (async () => {
      for (let number = 0; number < 25; number += 1) {
        await create(`Round ${round}, pet ${number}`).catch(() => {})
        await sleep(20)
      }
    })()
    const away = endpoints[2]
    away?.close()
    await sleep(300 + Math.random() * 600)
    await away?.listen()
    await sleep(Math.random() * 1_500)
    // With two services, the first is the victim, and the creations go on at the other.
    const [victim] = running
    if (services === 1) await creating
    kills += 1
    if (services === 2 && round % 3 === 2) {
      victim?.signal("SIGSTOP")
      await sleep(32_000)
      victim?.signal("SIGCONT")
      running.reverse()
    } else {
      victim?.signal("SIGKILL")
      running.shift()
      running.push(await serve(environment))
    }
    await creating
    await hurry(environment)
  }

  const { baseUrl } = running.at(-1) ?? {}
  const feed: Array<{ readonly id: string; readonly at: string }> = []
  for (let path = "/v1/changes?limit=100"; path !== ""; ) {
    const response = await fetch(new URL(path, baseUrl), { headers })
    const page: typeof feed = JSON.parse(await response.text())
    feed.push(...page)
    path = page.length === 0 ? "" : (/<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? "")
  }
  const ids = new Set(feed.map(({ id }) => id))
  const distinct = (endpoint: (typeof endpoints)[number]) => new Set(endpoint.taken.map(({ id }) => id))
  const missingOf = () => endpoints.map((endpoint) => ids.size - distinct(endpoint).size)
  // Longer than a lease and a pause, without any progress.
  let [takenBefore, progressedAt] = [-1, performance.now()]
  while (missingOf().some((missing) => missing > 0) && performance.now() - progressedAt < 90_000) {
    const takenNow = endpoints.reduce((sum, { taken }) => sum + taken.length, 0)
    if (takenNow !== takenBefore) progressedAt = performance.now()
    takenBefore = takenNow
    await hurry(environment)
    await sleep(1_000)
  }
  for (const { close } of endpoints) close()

  let [invented, disordered, doubled, doubledLater] = [0, 0, 0, 0]
  for (const { taken } of endpoints) {
    const seen = new Set<string>()
    let [newest, previous] = ["", ""]
    for (const { id, at } of taken) {
      if (!ids.has(id)) invented += 1
      if (seen.has(id)) {
        doubled += 1
        if (id !== previous) doubledLater += 1
      } else if (at < newest) disordered += 1
      else newest = at
      seen.add(id)
      previous = id
    }
  }
  const missing = missingOf().reduce((sum, one) => sum + one, 0)
  return { changes: feed.length, missing, invented, disordered, doubled, doubledLater, kills }
}
