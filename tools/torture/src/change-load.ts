/** The corrections and removals of a round: with and without `If-Match`, repeated after an unknown outcome, and concurrent. */
import type { Client } from "@petstore/harness/client"
import { errorOf, type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import type { Request } from "@petstore/harness/http"
import type { Random } from "@petstore/harness/random"
import type { KnownPet, Sent } from "@petstore/model/clients"
import type { Change } from "@petstore/model/rules"
import { type Callers, untilKnown } from "./callers.ts"
import type { Outcome } from "./creates.ts"
import { beginningOf } from "./random-model.ts"

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

/** A pet as a client read it, with its tag. */
interface Seen {
  readonly pet: Pet
  readonly tag: string
}

/** Reads a pet, and records the response. */
export const readPet = async (callers: Callers, client: Client, known: KnownPet, byQuery: boolean): Promise<Seen | undefined> => {
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
  callers.model.showPet(known, pet, beganAtMillis)
  const tag = response.header("etag")
  return pet === undefined || tag === undefined ? undefined : { pet, tag }
}

export const changeLoad = (callers: Callers, random: Random) => {
  const { model } = callers
  /** This round's changes with an unknown outcome. */
  const unknown: Array<{ readonly known: KnownPet; readonly change: Change; readonly seen: Seen | undefined }> = []

  /** Repeats every change with an unknown outcome. Call this after the service has recovered. */
  const settle = async (): Promise<void> => {
    using client = callers.newClient()
    for (const { known, change, seen } of unknown.splice(0)) {
      const isKnown = await untilKnown(
        async () => (await send(client, known, model.changing(known, change, seen?.pet), seen)) !== "unknown",
      )
      model.busy.delete(known.first.id)
      if (isKnown) continue
      model.problem(`a change to pet ${known.first.id} never got a response, although the service has recovered`)
      break
    }
  }

  /** Removes a pet that other clients are ordering, or corrects its status. */
  const changeOrdered = async (client: Client, pet: bigint, random: Random): Promise<void> => {
    const known = model.pets.knownOf(pet)
    if (known === undefined || random.chance(0.5)) return
    await claim(known, async () => {
      const change = random.chance(0.4) ? "remove" : model.newCorrection(known, random, true)
      return attempt(client, known, change, undefined)
    })
  }

  const correct = callers.keepCalling(25, (client, random) => claimAny(random, (known) => changeOne(client, known, random)))

  const race = callers.repeat(50, 200, (random) => claimAny(random, raceFor))

  /** Changes a pet that no other caller is changing, usually one that buyers also order. */
  const claimAny = async (random: Random, act: (known: KnownPet, random: Random) => Promise<Outcome>): Promise<void> => {
    const known = random.pickAny(random.chance(0.6) ? model.wantedNow : model.pets.known)
    if (known !== undefined) await claim(known, () => act(known, random))
  }

  const claim = async ({ first }: KnownPet, act: () => Promise<Outcome>): Promise<void> => {
    const { id } = first
    if (model.busy.has(id)) return
    model.busy.add(id)
    if ((await act()) !== "unknown") model.busy.delete(id)
  }

  const changeOne = async (client: Client, known: KnownPet, random: Random): Promise<Outcome> => {
    const change = random.chance(0.12) ? "remove" : model.newCorrection(known, random)
    const isConditional = random.chance(0.4)
    const seen = isConditional ? await readPet(callers, client, known, random.chance(0.5)) : undefined
    const outcome = await attempt(client, known, change, seen)
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
    else if (pageOf(response)[0]?.name !== name) model.noteStale(`pet ${id} is not found by its name: ${response.text}`)
  }

  const attempt = async (client: Client, known: KnownPet, change: Change, seen: Seen | undefined): Promise<Outcome> => {
    const outcome = await send(client, known, model.changing(known, change, seen?.pet), seen)
    if (outcome === "unknown") unknown.push({ known, change, seen })
    return outcome
  }

  /** Several clients correct one pet with the same tag. Exactly one of them succeeds, unless an order interferes. */
  const raceFor = async (known: KnownPet, random: Random): Promise<Outcome> => {
    const { id } = known.first
    using reader = callers.newClient()
    const seen = await readPet(callers, reader, known, true)
    if (seen === undefined) return "refused"
    const changes = Array.from({ length: racers }, () => ({
      ...model.newCorrection(known, random, false),
      name: model.newName(known, random),
    }))
    const turn = model.nextTurn(known)
    const everySent = changes.map((change) => model.changing(known, change, seen.pet, turn))
    const outcomes: Array<Outcome> = []
    await callers.atOnce(racers, async (client, index) => {
      const sent = everySent[index]
      if (sent !== undefined) outcomes.push(await send(client, known, sent, seen))
    })
    const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length
    if (count("done") > 1) model.problem(`${count("done")} corrections of pet ${id} under one tag were acknowledged`)
    if (count("refused") === racers && !model.isOrdered(id)) {
      model.problem(`no correction of pet ${id} under its current tag was acknowledged`)
    }
    // After an acknowledgement the tag is outdated, so changes with an unknown outcome did not happen.
    if (count("done") > 0 || count("unknown") === 0) return "done"
    const [change] = changes
    if (change !== undefined) unknown.push({ known, change, seen })
    return "unknown"
  }

  /** Sends a change once and records its outcome. */
  const send = async (client: Client, known: KnownPet, sent: Sent, seen: Seen | undefined): Promise<Outcome> => {
    const { id } = known.first
    const { change } = sent
    const response = await callers.send(client, requestOfChange(id, change, seen?.tag))
    if (response === undefined || response.status === 503) {
      if (response !== undefined) callers.refused(response, `a change to pet ${id}`)
      return "unknown"
    }
    if (response.status === (change === "remove" ? 204 : 200)) {
      model.changed(known, sent, change === "remove" ? undefined : petOf(response.json))
      return "done"
    }
    if (!model.refused(known, sent, errorOf(response).code)) callers.refused(response, `a change to pet ${id}`)
    return "refused"
  }
  return { run: () => callers.run(random, [correctors, correct], [1, race]), settle, changeOrdered }
}

export type ChangeLoad = ReturnType<typeof changeLoad>
