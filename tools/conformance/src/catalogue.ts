import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { expectStatus, type Pet, pageOf, petOf } from "@petstore/harness/expectations"
import { type Http, pagesFrom, type Request } from "@petstore/harness/http"
import type { WireResponse } from "@petstore/harness/response"
import { type Context, NotTested } from "./sentence.ts"

export const uniqueName = (): string => `conformance ${randomUUID()}`

export type NewPet = Omit<Pet, "id">

export const newPetJson = ({ name, categoryId, status }: NewPet): string =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status === undefined ? "" : `,"status":${JSON.stringify(status)}`}}`

/** Returns the pet in a 201. Fails unless the pet has exactly the given values, if there are any, and an id. */
export const createdPet = (response: WireResponse, given?: NewPet): Pet => {
  const pet = petOf(expectStatus(response, 201).json)
  if (given !== undefined) assert.deepEqual(pet, { id: pet.id, ...given })
  return pet
}

export const createFrom = async (http: Http, body: string, given?: NewPet): Promise<Pet> =>
  createdPet(await http.post(body), given)

export const create = (http: Http, given: Partial<NewPet> = {}): Promise<Pet> => {
  const newPet = { name: uniqueName(), categoryId: 1n, ...given }
  return createFrom(http, newPetJson(newPet), newPet)
}

export const readPet = async (http: Http, id: bigint): Promise<Pet> => petOf((await http.get(`/pets/${id}`)).json)

export const patch = (http: Http, id: bigint | string, body: string | Uint8Array, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "PATCH", path: `/pets/${id}`, body, ...request })

export const remove = (http: Http, id: bigint | string, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "DELETE", path: `/pets/${id}`, ...request })

export const restore = (http: Http, id: bigint | string, request: Request = {}): Promise<WireResponse> =>
  http.send({ method: "POST", path: `/pets/${id}/restore`, ...request })

export const createAndRead = async (http: Http, given: Partial<NewPet> = {}): Promise<Pet> => {
  const pet = await create(http, given)
  assert.deepEqual(await readPet(http, pet.id), pet)
  return pet
}

/** Sends the same create request twenty times at once. Fails unless every response is a 201 with the same text. */
export const createdOnce = async (send: () => Promise<WireResponse>): Promise<void> => {
  const responses = await Promise.all(Array.from({ length: 20 }, send))
  for (const response of responses) expectStatus(response, 201)
  assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
}

/** Yields the pets that a query returns, page by page, following the next links. Stops after `most` pets. */
export async function* pages(http: Http, query: string, most = 2000): AsyncGenerator<ReadonlyArray<Pet>> {
  let count = 0
  for await (const { response } of pagesFrom(http, `${http.prefix}/pets${query}`)) {
    yield pageOf(response)
    count += 1
    if (count === most) return
  }
}

/** Reads all rows of a list, page by page. Throws `NotTested` if the list is too long. */
export const everyRow = async <A>(
  http: Http,
  path: string,
  rowsOf: (page: WireResponse) => ReadonlyArray<A>,
): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const { response } of pagesFrom(http, http.prefix + path)) {
    found.push(...rowsOf(response))
    if (found.length > 100_000) throw new NotTested(`${path} has more than 100,000 rows, too many to read`)
  }
  return found
}

const leftOut = /['`\u00b4\u02b9-\u02bf\u05f3\u2018\u2019\u201b\u2032]|\p{Variation_Selector}/u
const letterWithAccents = /\p{sc=Latin}|\p{sc=Greek}|\p{sc=Cyrillic}|\p{sc=Hebrew}|\p{sc=Arabic}/u
const typed = new Map(Object.entries({ ł: "l", ø: "o", đ: "d", ħ: "h", æ: "ae", œ: "oe", þ: "th", ð: "d", ς: "σ" }))

/** The words of a text, as a service must find them (4.1.48), code point by code point. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  let folded = ""
  let hasAccents = false
  const kept = Array.from(text).filter((one) => !leftOut.test(one))
  for (const one of kept.join("").normalize("NFKD")) {
    if (leftOut.test(one)) continue
    // The mark of an iota subscript is a letter after upper case.
    for (const lower of one.toLowerCase().toUpperCase().toLowerCase()) {
      const isMark = /\p{M}/u.test(lower)
      if (isMark && hasAccents) continue
      if (!isMark) hasAccents = letterWithAccents.test(lower)
      folded += typed.get(lower) ?? lower
    }
  }
  const words = [""]
  for (const one of folded.normalize("NFC")) {
    const isInWord = words.at(-1) === "" ? /[\p{L}\p{N}]/u.test(one) : /[\p{L}\p{N}\p{M}]/u.test(one)
    if (isInWord) words.push((words.pop() ?? "") + one)
    else if (words.at(-1) !== "") words.push("")
  }
  return words.filter((word) => word !== "").map((word) => Array.from(word).slice(0, 64).join(""))
}

/** Whether a search for a text finds a name (4.1.47). */
export const isFoundBy = (name: string, text: string): boolean =>
  wordsOf(text).every((beginning) => wordsOf(name).some((word) => word.startsWith(beginning)))

interface Row {
  readonly id: bigint
}

export const idsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<bigint> => rows.map(({ id }) => id)

export const byId = (one: Row, other: Row): number => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** Fails unless the rows are distinct and sorted by identifier. */
export const expectSorted = (rows: ReadonlyArray<Row>): void => {
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1]
    if (before !== undefined) assert.ok(before.id < row.id, `the rows are not sorted: ${before.id} is before ${row.id}`)
  }
}

export const withId = <A extends Row>(rows: ReadonlyArray<A>, id: bigint): ReadonlyArray<A> => rows.filter((row) => row.id === id)

export const pageWith = async (http: Http, id: bigint): Promise<string> => {
  for await (const { target, response } of pagesFrom(http, `${http.prefix}/pets?limit=100`)) {
    if (withId(pageOf(response), id).length > 0) return target
  }
  return assert.fail(`no page lists pet ${id}`)
}

export const walk = (http: Http, query: string): Promise<ReadonlyArray<Pet>> => everyRow(http, `/pets${query}`, pageOf)

/** Ensures that at least `count` pets (with this status) are listed. Creates the missing pets if this run may create pets. */
export const needPets = async ({ http, write }: Context, count: number, status?: string): Promise<void> => {
  const query = status === undefined ? "" : `&status=${status}`
  const found = pageOf(await http.get(`/pets?limit=100${query}`)).length
  if (found >= count) return
  if (!write) throw new NotTested(`fewer than ${count} pets are listed: pass --write`)
  for (let missing = count - found; missing > 0; missing -= 1) await create(http, status === undefined ? {} : { status })
}

export const firstPet = async (http: Http): Promise<Pet> => {
  const [pet] = pageOf(await http.get("/pets?limit=1"))
  if (pet === undefined) throw new NotTested("the catalogue is empty")
  return pet
}

/** Returns the cursor in the next link of a list such as `/pets?limit=1&status=sold`. */
export const cursorOf = async (http: Http, path: string): Promise<string> => {
  const next = (await http.get(path)).link("next")
  assert.ok(next !== undefined, `expected a next link on ${path}`)
  const cursor = new URL(next, http.base).searchParams.get("cursor")
  assert.ok(cursor !== null && cursor !== "", `expected a cursor in ${next}`)
  return cursor
}

export const unusedId = async (http: Http): Promise<bigint> => {
  for (const id of [9_007_199_254_740_993n, 4_611_686_018_427_387_905n, 8_999_999_999_999_999_999n]) {
    if ((await http.get(`/pets/${id}`)).status === 404) return id
  }
  throw new NotTested("no unused identifier was found")
}
