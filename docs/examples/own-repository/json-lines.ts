/**
 * Another team's repository: pets in a JSON Lines file, one line for each write.
 *
 * A line is appended and synced to the disk before its promise resolves. All pets are
 * also in memory, so this adapter suits small catalogues and a single process.
 */
import { open } from "node:fs/promises"
import {
  type IdempotencyClaim,
  type NewPet,
  type Pet,
  type PetStatus,
  type PromisePetRepository,
  searchAmong,
  storageUnavailable,
} from "@petstore/core/promise"

/**
 * The content of a line: new or changed pets, or a removed pet. Integers are strings, because `JSON.parse` rounds numbers past
 * 2^53.
 */
interface Line {
  readonly pets: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly categoryId: string
    readonly status?: PetStatus
  }>
  readonly removed?: string
  readonly claim?: { readonly name: string; readonly fingerprint: string; readonly expiresAt: number }
}

const nameOf = ({ accountId, operation, key }: IdempotencyClaim): string => JSON.stringify([accountId, operation, key])

/** Opens the file, creating it if it does not exist. */
export const openJsonLines = async (path: string): Promise<PromisePetRepository> => {
  const file = await open(path, "a+")
  const pets = new Map<bigint, Pet>()
  let highest = 0n
  const claims = new Map<string, { readonly fingerprint: string; readonly expiresAt: number; readonly pet: Pet }>()

  const remember = (line: Line): ReadonlyArray<Pet> => {
    const kept = line.pets.map(
      ({ id, categoryId, ...rest }): Pet => ({ ...rest, id: BigInt(id), categoryId: BigInt(categoryId) }),
    )
    for (const pet of kept) {
      pets.set(pet.id, pet)
      if (pet.id > highest) highest = pet.id
    }
    if (line.removed !== undefined) pets.delete(BigInt(line.removed))
    const [pet] = kept
    if (line.claim !== undefined && pet !== undefined) claims.set(line.claim.name, { ...line.claim, pet })
    return kept
  }

  // A process that dies during a write leaves an incomplete line. Its promise never resolved, so the line is removed.
  const text = await file.readFile("utf8")
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  let length = Buffer.byteLength(whole)
  await file.truncate(length)
  for (const line of whole.split("\n").slice(0, -1)) remember(JSON.parse(line))

  const rowOf = (id: bigint, { name, categoryId, status }: NewPet): Line["pets"][number] => ({
    id: String(id),
    name,
    categoryId: String(categoryId),
    ...(status === undefined ? {} : { status }),
  })

  const append = async (line: Line): Promise<ReadonlyArray<Pet>> => {
    const written = `${JSON.stringify(line)}\n`
    try {
      await file.appendFile(written)
      await file.datasync()
    } catch (cause) {
      // An incomplete line must not precede the next one.
      await file.truncate(length)
      throw storageUnavailable(cause)
    }
    length += Buffer.byteLength(written)
    return remember(line)
  }

  const add = (given: ReadonlyArray<NewPet>, claim?: Line["claim"]): Promise<ReadonlyArray<Pet>> =>
    append({
      pets: given.map((pet, index) => rowOf(highest + 1n + BigInt(index), pet)),
      ...(claim === undefined ? {} : { claim }),
    })

  // Writes run one after the other, because each new identifier follows the highest existing one.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <A>(write: () => Promise<A>): Promise<A> => {
    const done = last.then(write)
    last = done.catch(() => undefined)
    return done
  }
  const first = ([pet]: ReadonlyArray<Pet>): Pet => {
    if (pet === undefined) throw new Error("The line has no pet.")
    return pet
  }

  /** This repository has no orders, so no pet is reserved. */
  const change = ({ id, name, categoryId, status }: Pet, line: Line) =>
    inTurn(async () => {
      const pet = pets.get(id)
      if (pet === undefined) return "not-found"
      if (pet.name !== name || pet.categoryId !== categoryId || pet.status !== status) return "changed"
      await append(line)
      return "done"
    })

  return {
    insert: (pet) => inTurn(async () => first(await add([pet]))),

    insertOnce: (pet, claim) =>
      inTurn(async () => {
        const known = claims.get(nameOf(claim))
        if (known !== undefined && known.expiresAt > claim.claimedAt.getTime()) {
          return known.fingerprint === claim.fingerprint ? { value: known.pet, isNew: false } : "reused"
        }
        const { fingerprint, expiresAt } = claim
        const added = first(await add([pet], { name: nameOf(claim), fingerprint, expiresAt: expiresAt.getTime() }))
        return { value: added, isNew: true }
      }),

    insertAll: async (batches) => {
      const all: Array<NewPet> = []
      for await (const batch of batches) all.push(...batch)
      return all.length === 0 ? 0 : (await inTurn(() => add(all))).length
    },

    replace: (seen, to) => change(seen, { pets: [rowOf(seen.id, to)] }),
    remove: (seen) => change(seen, { pets: [], removed: String(seen.id) }),

    find: async (id) => pets.get(id),

    list: async ({ status, after, limit }) =>
      [...pets.values()]
        .filter((pet) => (status === undefined || pet.status === status) && (after === undefined || pet.id > after))
        .slice(0, limit),

    search: async (search) => searchAmong(pets.values(), search),

    close: async () => {
      await last
      await file.close()
    },
  }
}
