/** What the memory of the process keeps of pets and orders, which move together. The place of each is its identifier less one. */
import { type IdempotencyClaim, IdempotencyKeyReused, type Order, type Pet } from "@petstore/core"
import { Effect } from "effect"

export interface Catalogue {
  readonly pets: Array<Pet>
  readonly orders: Array<Order>
  /** How often a pet has changed its status. */
  changes: number
}

export const emptyCatalogue = (): Catalogue => ({ pets: [], orders: [], changes: 0 })

/** The place of an identifier in an array of `length`, for a look-up or for the start of a list after it. */
export const placeAfter = (id: bigint, length: number): number => Number(id < 0n ? 0n : id > BigInt(length) ? BigInt(length) : id)

/** At most `limit` of an array, from a place on, that fit. */
export const selectFrom = <A>(all: ReadonlyArray<A>, from: number, limit: number, fits: (one: A) => boolean): Array<A> => {
  const selected: Array<A> = []
  for (let index = from; index < all.length && selected.length < limit; index += 1) {
    const one = all[index]
    if (one !== undefined && fits(one)) selected.push(one)
  }
  return selected
}

/** The claims of requests that may arrive twice, by name, oldest first, and what each made. */
export type Claims<A> = Map<string, { readonly claim: IdempotencyClaim; readonly made: A }>

/** Removes the oldest claims for as long as they have expired. Each lives equally long, so the oldest expire first. */
const removeExpired = (claims: Claims<unknown>, now: Date): void => {
  for (const [name, { claim }] of claims) {
    if (claim.expiresAt > now) return
    claims.delete(name)
  }
}

/** Makes the function that answers a request that may arrive twice: by what the first of its name made, or by what `make` makes now. */
export const rememberClaims =
  <A>(claims: Claims<A> = new Map()) =>
  <E>(claim: IdempotencyClaim, make: Effect.Effect<A, E>): Effect.Effect<A, E | IdempotencyKeyReused> =>
    Effect.suspend((): Effect.Effect<A, E | IdempotencyKeyReused> => {
      const name = JSON.stringify([claim.accountId, claim.operation, claim.key])
      const first = claims.get(name)
      if (first !== undefined && first.claim.expiresAt > claim.claimedAt) {
        return first.claim.fingerprint === claim.fingerprint
          ? Effect.succeed(first.made)
          : new IdempotencyKeyReused({ key: claim.key })
      }
      return Effect.tap(make, (made) =>
        Effect.sync(() => {
          removeExpired(claims, claim.claimedAt)
          // A name that comes again is the newest: a map would leave it in its old place.
          claims.delete(name)
          claims.set(name, { claim, made })
        }),
      )
    })
