/** The corrections and removals of a round: with and without `If-Match`, repeated after an unknown outcome, and concurrent. */
import type { Client } from "@petstore/harness/client"
import { errorOf, pageOf, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { WireResponse } from "@petstore/harness/response"
import { type Callers, untilKnown } from "./callers.ts"
import type { Outcome } from "./creates.ts"
import { beginningOf, type KnownPet } from "./ledger.ts"
import type { Asked, Change } from "./pet-history.ts"

const correctors = 3
/** The number of clients that concurrently correct one pet with the same `If-Match`. */
const racers = 6

const jsonOf = (change: Exclude<Change, "remove">): string =>
  `{${[
    ...(change.name === undefined ? [] : [`"name":${JSON.stringify(change.name)}`]),
    ...(change.categoryId === undefined ? [] : [`"categoryId":${change.categoryId}`]),
    ...("status" in change ? [`"status":${JSON.stringify(change.status ?? null)}`] : []),
  ].join()}}`

export const requestOfChange = (id: bigint, change: Change, tag?: string): Request => ({
  path: `/pets/${id}`,
  headers: tag === undefined ? [] : [`If-Match: ${tag}`],
  ...(change === "remove" ? { method: "DELETE" } : { method: "PATCH", body: jsonOf(change) }),
})

/** Reads a pet, records the response, and returns its tag. */
export const readPet = async (
  callers: Callers,
  client: Client,
  known: KnownPet,
  byQuery: boolean,
): Promise<string | undefined> => {
  const { id } = known.first
  const beganAtMillis = performance.now()
  const response = await callers.send(client, { path: byQuery ? `/pets?id=${id}` : `/pets/${id}` })
  if (response === undefined) return undefined
  const isMissing = response.status === 404 && errorOf(response).code === "pet_not_found"
  if (response.status !== 200 && !isMissing) {
    callers.refused(response, `reading acknowledged pet ${id}`)
    return undefined
  }
  const pet = isMissing ? undefined : byQuery ? pageOf(response)[0] : petOf(response.json)
  callers.ledger.showPet(known, pet, beganAtMillis)
  return pet === undefined ? undefined : response.header("etag")
}

export const changeLoad = (callers: Callers, random: Random) => {
  const { ledger } = callers
  /** This round's changes with an unknown outcome. */
  const unknown: Array<{ readonly known: KnownPet; readonly change: Change; readonly tag: string | undefined }> = []

  /** Repeats every change with an unknown outcome. Call this after the service has recovered. */
  const settle = async (): Promise<void> => {
    using client = callers.newClient()
    for (const { known, change, tag } of unknown.splice(0)) {
      const [asked] = ledger.changing(known, change)
      const isKnown = await untilKnown(
        async () => asked === undefined || (await send(client, known, asked, tag, true)) !== "unknown",
      )
      ledger.historyOf(known.first.id).isBusy = false
      if (isKnown) continue
      ledger.problem(`a change to pet ${known.first.id} never got a response, although the service has recovered`)
      break
    }
  }

  /** Removes a pet that other clients are ordering, or corrects its status. */
  const changeOrdered = async (client: Client, pet: bigint, random: Random): Promise<void> => {
    const known = ledger.pets.knownOf(pet)
    if (known === undefined || random.chance(0.5)) return
    await claim(known, async () => {
      const change = random.chance(0.4) ? "remove" : ledger.newCorrection(known, random, true)
      return attempt(client, known, change, undefined)
    })
  }

  const correct = callers.keepCalling(25, (client, random) => claimAny(random, (known) => changeOne(client, known, random)))

  const race = callers.repeat(50, 200, (random) => claimAny(random, raceFor))

  /** Changes a pet that no other caller is changing, usually one that buyers also order. */
  const claimAny = async (random: Random, act: (known: KnownPet, random: Random) => Promise<Outcome>): Promise<void> => {
    const known = random.pickAny(random.chance(0.6) ? ledger.wantedNow : ledger.pets.known)
    if (known !== undefined) await claim(known, () => act(known, random))
  }

  const claim = async ({ first }: KnownPet, act: () => Promise<Outcome>): Promise<void> => {
    const history = ledger.historyOf(first.id)
    if (history.isBusy) return
    history.isBusy = true
    history.isBusy = (await act()) === "unknown"
  }

  const changeOne = async (client: Client, known: KnownPet, random: Random): Promise<Outcome> => {
    const change = random.chance(0.12) ? "remove" : ledger.newCorrection(known, random)
    const isConditional = random.chance(0.4)
    const tag = isConditional ? await readPet(callers, client, known, random.chance(0.5)) : undefined
    const outcome = await attempt(client, known, change, tag)
    if (outcome === "done" && change !== "remove" && change.name !== undefined && random.chance(0.3)) {
      await findByName(client, known, change.name)
    }
    return outcome
  }

  /** Finds a pet by its new name (sentence 4.1.44). */
  const findByName = async (client: Client, { first: { id } }: KnownPet, name: string): Promise<void> => {
    const beginning = encodeURIComponent(beginningOf(name))
    const response = await callers.send(client, { path: `/pets?name=${beginning}&id=${id}` })
    if (response === undefined) return
    if (response.status !== 200) callers.refused(response, `searching for the name of pet ${id}`)
    else if (pageOf(response)[0]?.name !== name) ledger.noteStale(`pet ${id} is not found by its name: ${response.text}`)
  }

  const attempt = async (client: Client, known: KnownPet, change: Change, tag: string | undefined): Promise<Outcome> => {
    const [asked] = ledger.changing(known, change)
    if (asked === undefined) return "refused"
    const outcome = await send(client, known, asked, tag, false)
    if (outcome === "unknown") unknown.push({ known, change, tag })
    return outcome
  }

  /** Several clients correct one pet with the same tag. Exactly one of them succeeds, unless an order interferes. */
  const raceFor = async (known: KnownPet, random: Random): Promise<Outcome> => {
    const { id } = known.first
    using reader = callers.newClient()
    const tag = await readPet(callers, reader, known, true)
    if (tag === undefined) return "refused"
    const changes = Array.from({ length: racers }, () => ({
      ...ledger.newCorrection(known, random, false),
      name: ledger.newName(known, random),
    }))
    const everyAsked = ledger.changing(known, ...changes)
    const outcomes: Array<Outcome> = []
    await callers.atOnce(racers, async (client, index) => {
      const asked = everyAsked[index]
      if (asked !== undefined) outcomes.push(await send(client, known, asked, tag, true))
    })
    const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length
    if (count("done") > 1) ledger.problem(`${count("done")} corrections of pet ${id} under one tag were acknowledged`)
    if (count("refused") === racers && !ledger.isOrdered(id)) {
      ledger.problem(`no correction of pet ${id} under its current tag was acknowledged`)
    }
    // After an acknowledgement the tag is outdated, so changes with an unknown outcome did not happen.
    if (count("done") > 0 || count("unknown") === 0) return "done"
    const [change] = changes
    if (change !== undefined) unknown.push({ known, change, tag })
    return "unknown"
  }

  /** Sends a change once and records its outcome. A repeated change can reveal that the first attempt succeeded. */
  const send = async (client: Client, known: KnownPet, asked: Asked, tag: string | undefined, isRepeated: boolean) => {
    const { id } = known.first
    const { change } = asked
    const response = await callers.send(client, requestOfChange(id, change, tag))
    if (response === undefined || response.status === 503) {
      if (response !== undefined) callers.refused(response, `a change to pet ${id}`)
      return "unknown"
    }
    if (response.status === (change === "remove" ? 204 : 200)) {
      ledger.changed(known, asked, change === "remove" ? undefined : petOf(response.json))
      return "done"
    }
    const isGone = response.status === 404 && errorOf(response).code === "pet_not_found"
    if (isGone && change === "remove" && isRepeated) {
      ledger.changed(known, asked)
      return "done"
    }
    ledger.historyOf(id).refused(asked)
    if (!mayRefuse(known, asked, response, tag)) callers.refused(response, `a change to pet ${id}`)
    return "refused"
  }

  const mayRefuse = ({ first: { id } }: KnownPet, { change }: Asked, response: WireResponse, tag: string | undefined) => {
    const history = ledger.historyOf(id)
    switch (errorOf(response).code) {
      case "pet_not_found":
        return history.isRemovalAsked
      case "precondition_failed":
        return tag !== undefined
      case "pet_reserved":
        return ledger.isOrdered(id) && (change === "remove" || "status" in change)
      default:
        return false
    }
  }
  return { run: () => callers.run(random, [correctors, correct], [1, race]), settle, changeOrdered }
}

export type ChangeLoad = ReturnType<typeof changeLoad>
