/** Checks that a service shows a second service's acknowledged writes at once, even while many clients request one page. */
import { connect } from "node:net"
import { Client } from "@petstore/harness/client"
import { errorOf, type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import { startService } from "@petstore/harness/serving"
import { requestOfChange } from "./change-load.ts"
import { requestOf } from "./load.ts"
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
export const readBesideWriter = async ({ service, commands, key, model }: Stage, random: Random): Promise<string> => {
  await using other = await startService(commands)
  using reader = new Client(service.url, key)
  using writer = new Client(other.baseUrl, key)
  let { target } = await lastPage(reader, "/v1/pets?limit=100")
  using _crowd = startCrowd(crowdSize, reader.http.base, () => reader.http.encode({ target, keepAlive: true }))
  /** Changes a pet that no caller is changing, and checks that the first service's next page shows the change. */
  const changeBeside = async (id: bigint): Promise<void> => {
    const known = model.pets.knownOf(id)
    if (known === undefined || model.busy.has(id) || random.chance(0.85)) return
    model.busy.add(id)
    const change = random.chance(0.5) ? "remove" : model.newCorrection(known, random, false)
    const sent = model.changing(known, change)
    const response = await writer.send(requestOfChange(id, change))
    if (response.status < 300) model.changed(known, sent)
    else if (response.status !== 409 || !model.refused(known, sent, errorOf(response).code))
      throw new Error(`the second service responded with ${response.status} ${response.text}`)
    const beganAtMillis = performance.now()
    model.showPet(known, (await lastPage(reader, target)).pets.get(id), beganAtMillis)
    model.busy.delete(id)
  }
  for (let number = 0; number < creates; number += 1) {
    const intent = model.newPet(random)
    model.pets.sending(intent)
    const response = await writer.send(requestOf(intent))
    if (response.status !== 201) throw new Error(`the second service responded with ${response.status} ${response.text}`)
    const pet = petOf(response.json)
    model.acknowledgePet(intent, pet)
    const page = await lastPage(reader, target)
    // Another caller might have removed the pet since then.
    if (!page.pets.has(pet.id) && !model.mayBeRemoved(pet.id)) {
      model.noteStale(`a page is out of date, although it was requested after pet ${model.pets.describe(pet)} was acknowledged`)
    }
    await changeBeside(pet.id)
    target = page.target
  }
  return `${creates} read`
}
