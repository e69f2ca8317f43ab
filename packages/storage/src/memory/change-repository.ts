import {
  type Actor,
  type Change,
  type ChangedBy,
  type ChangePlace,
  ChangeRepository,
  type CredentialRepository,
  CursorExpired,
  type Pet,
  PetNotFound,
  petIdOf,
} from "@petstore/core"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Catalogue, placeOf } from "./engine/catalogue.js"
import type { ChangeInMemory } from "./engine/history.js"

type Credentials = Context.Tag.Service<CredentialRepository>

export const memoryChangeRepository = (catalogue: Catalogue, { listAccounts, listApiKeys }: Credentials) => {
  const { pets, history } = catalogue
  const placeAfter = (count: number): ChangePlace => `${history.name}-${count}`

  /** How many changes are before a place; `undefined` if the place is not one of this store. */
  const countBefore = (place: ChangePlace): number | undefined => {
    const [name, count] = place.split("-")
    return name === history.name && Number(count) <= history.end ? Number(count) : undefined
  }

  const petOf = ({ before, after }: ChangeInMemory): Pet["id"] | undefined => petIdOf(after ?? before ?? {})

  /** Returns the function that names the account and key of a caller. */
  const naming = Effect.map(Effect.zip(listAccounts, listApiKeys), ([accounts, keys]) => (by: Actor): ChangedBy => {
    if ("command" in by) return by
    const label = Option.getOrUndefined(keys.find(({ id }) => id === by.keyId)?.label ?? Option.none())
    const name = accounts.find(({ id }) => id === by.accountId)?.name ?? by.accountId
    return { account: { id: by.accountId, name }, key: { id: by.keyId, ...(label !== undefined && { label }) } }
  })

  return ChangeRepository.of({
    list: ({ petId, order, after, limit }) =>
      Effect.gen(function* () {
        const nameOf = yield* naming
        const { changes, removed, end } = history
        const isUp = order === "asc"
        const start = Option.match(after, { onNone: () => (isUp ? removed : end), onSome: countBefore })
        if (start === undefined || (isUp && start < removed)) return yield* new CursorExpired()
        const from = isUp ? start - removed : 0
        const behind = changes
          .slice(from, isUp ? undefined : Math.max(0, start - removed))
          .map((change, index) => [removed + from + index, change] as const)
          .filter(([, change]) => (petId ?? petOf(change)) === petOf(change))
        const found = isUp ? behind : behind.toReversed()
        const given = found.slice(0, limit)
        const last = given.at(-1)?.[0]
        const isFull = found.length > limit && last !== undefined
        const next = isUp ? placeAfter(isFull ? last + 1 : end) : isFull ? placeAfter(last) : undefined
        const shown = given.map(
          ([number, { at, operation, by, before, after: to }]): Change => ({
            id: placeAfter(number),
            at,
            operation,
            ...(by !== undefined && { by: nameOf(by) }),
            ...(by !== undefined && "requestId" in by && { requestId: by.requestId }),
            ...(before !== undefined && { before }),
            ...(to !== undefined && { after: to }),
          }),
        )
        return { changes: shown, next, ...(!isUp && Option.isNone(after) && { end: placeAfter(end) }) }
      }),

    latest: Effect.sync(() => String(history.end)),

    restorePet: (petId, by) =>
      Effect.suspend((): Effect.Effect<Pet, PetNotFound> => {
        const place = placeOf(petId, pets.length)
        const present = pets[place]
        if (present !== undefined) return Effect.succeed(present)
        const last = history.changes.findLast((change) => petOf(change) === petId && change.after?.pet === undefined)
        const pet = last?.before?.pet
        if (place < 0 || pet === undefined) return new PetNotFound({ petId })
        pets[place] = pet
        catalogue.changes += 1
        history.add("restorePet", by, undefined, { pet })
        return Effect.succeed(pet)
      }),

    removeBefore: (time, limit) =>
      Effect.sync(() => {
        const kept = history.changes.findIndex(({ at }) => at >= time)
        const old = Math.min(limit, kept === -1 ? history.changes.length : kept)
        history.changes.splice(0, old)
        history.removed += old
        return old
      }),
  })
}
