/** Checks that a service shows a second service's acknowledged writes at once, even while many clients request one page. */
import { connect } from "node:net"
import { Client } from "@petstore/harness/client"
import { type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import { startService } from "@petstore/harness/serving"
import { changeOf } from "./change-load.ts"
import type { Write } from "./ledger.ts"
import { creationOf } from "./load.ts"
import type { Stage } from "./stage.ts"

/** How many clients request the page. */
const crowdSize = 30

/** How many pets the second service creates. */
const creates = 40

/** Requests one page repeatedly, on many connections, until it is disposed of. */
const startCrowd = (callers: number, { hostname: host, port }: URL, requestOf: () => Uint8Array): Disposable => {
  const crowd = new DisposableStack()
  for (let caller = 0; caller < callers; caller += 1) {
    const socket = crowd.adopt(connect({ host, port: Number(port), noDelay: true }), (adopted) => adopted.destroy())
    // Sends one request for each chunk of a response, so that every connection has about one request in flight.
    for (const event of ["connect", "data"]) socket.on(event, () => socket.write(requestOf()))
    // Ignores broken connections, because other clients check the service.
    socket.on("error", () => {})
  }
  return crowd
}

/** Walks from a page to the last page of the catalogue. Returns the last page's target, and the pets of all these pages. */
const lastPage = async (client: Client, from: string) => {
  const pets = new Map<bigint, Pet>()
  let last = from
  for await (const { target, response } of pagesFrom(client, from)) {
    for (const pet of pageOf(response)) pets.set(pet.id, pet)
    last = target
  }
  return { target: last, pets }
}

/** Checks that each pet acknowledged by the second service is on the next page of the first one. */
export const readBesideWriter = async ({ service, commands, key, ledger }: Stage, random: Random): Promise<string> => {
  await using other = await startService(commands)
  using reader = new Client(service.url, key)
  using writer = new Client(other.baseUrl, key)
  let { target } = await lastPage(reader, "/v1/pets?limit=100")
  using _crowd = startCrowd(crowdSize, reader.http.base, () => reader.http.encode({ target, keepAlive: true }))
  let next = target
  /** Lets the second service write, and checks that the first one's next page shows what it acknowledged. */
  const writeBeside = async (write: Write, pet?: bigint): Promise<bigint> => {
    const response = await ledger.write(writer, write)
    if (response.status >= 300 && response.status !== 409 && response.status !== 404)
      throw new Error(`the second service responded with ${response.status} ${response.text}`)
    const beganAtMillis = performance.now()
    const page = await lastPage(reader, target)
    const id = pet ?? petOf(response.json).id
    ledger.show(id, page.pets.get(id), beganAtMillis)
    next = page.target
    return id
  }
  for (let number = 0; number < creates; number += 1) {
    const id = await writeBeside(creationOf(ledger.newPet(random)))
    if (random.chance(0.15))
      await writeBeside(changeOf(id, random.chance(0.5) ? "remove" : ledger.newCorrection(random, false)), id)
    // The pet may no longer be on that page.
    target = next
  }
  return `${creates} read`
}
