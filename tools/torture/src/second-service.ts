/**
 * A second service on the same store: what it acknowledges, the first shows to every later request,
 * also when it is asked for the same page by a thousand callers at once and has it ready.
 */
import { connect, type Socket } from "node:net"
import { Client } from "@petstore/harness/client"
import { type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import { pagesFrom } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import { startService } from "@petstore/harness/serving"
import { requestOfChange } from "./change-load.ts"
import { requestOf } from "./load.ts"
import type { Stage } from "./stage.ts"
import type { TorturedStore } from "./stores.ts"

/**
 * Callers of one page: more than the events that Node takes from the system at a time, which is 1024.
 * A database server reads each page anew, which so many would wait for.
 */
const crowdOf = ({ server }: TorturedStore): number => (server === undefined ? 1_100 : 30)

/** Pets that the second service is asked to keep. */
const creates = 40

/** Asks for one page again and again, on many connections, until it is disposed of. */
class Crowd {
  readonly #sockets: Array<Socket> = []

  constructor(callers: number, url: URL, requestOf: () => Uint8Array) {
    for (let number = 0; number < callers; number += 1) {
      const socket = connect({ host: url.hostname, port: Number(url.port) })
      socket.setNoDelay(true)
      // One request for each piece of an answer: every connection has one on its way, more or less.
      socket.on("connect", () => socket.write(requestOf()))
      socket.on("data", () => socket.write(requestOf()))
      // Results of the crowd are not checked: the faults have clients of their own.
      socket.on("error", () => {})
      this.#sockets.push(socket)
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** The last page of the catalogue, from a target on. */
const lastPage = async (client: Client, from: string) => {
  const pets = new Map<bigint, Pet>()
  let last = from
  for await (const { target, answer } of pagesFrom(client, from)) {
    for (const pet of pageOf(answer)) pets.set(pet.id, pet)
    last = target
  }
  return { target: last, pets }
}

/** Looks for each pet that the second service acknowledges on the page that the first one sends afterwards. */
export const readBesideWriter = async ({ service, store, commands, key, ledger }: Stage, random: Random): Promise<string> => {
  await using other = await startService(commands)
  using reader = new Client(service.url, key)
  using writer = new Client(other.baseUrl, key)
  let { target } = await lastPage(reader, "/v1/pets?limit=100")
  using _callers = new Crowd(crowdOf(store), reader.http.base, () => reader.http.encode({ target, keepAlive: true }))
  /** Corrects a pet or removes it, unless another caller is changing it, and looks for it on the page that the first service sends afterwards. */
  const changeBeside = async (id: bigint): Promise<void> => {
    const known = ledger.pets.knownOf(id)
    const history = ledger.historyOf(id)
    if (known === undefined || history.isBusy || random.chance(0.85)) return
    history.isBusy = true
    const change = random.chance(0.5) ? "remove" : ledger.newCorrection(known, random, false)
    const [asked] = ledger.changing(known, change)
    const answer = await writer.send(requestOfChange(id, change))
    if (asked === undefined) return
    if (answer.status < 300) ledger.changed(known, asked)
    else if (answer.status === 409) history.refused(asked)
    else throw new Error(`the second service answered ${answer.status} ${answer.text}`)
    const beganAtMillis = performance.now()
    ledger.showPet(known, (await lastPage(reader, target)).pets.get(id), beganAtMillis)
    history.isBusy = false
  }
  for (let number = 0; number < creates; number += 1) {
    const intent = ledger.newPet(random)
    ledger.pets.sending(intent)
    const answer = await writer.send(requestOf(intent))
    if (answer.status !== 201) throw new Error(`the second service answered ${answer.status} ${answer.text}`)
    const pet = petOf(answer.json)
    ledger.acknowledgePet(intent, pet)
    const page = await lastPage(reader, target)
    if (!page.pets.has(pet.id)) ledger.noteStale(`a page that was asked for after ${ledger.pets.describe(pet)} is older`)
    await changeBeside(pet.id)
    target = page.target
  }
  return `${creates} read`
}
