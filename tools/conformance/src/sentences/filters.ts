/** Sentences 4.1.30 to 4.1.51: the filters and the order of the pet list, which are experimental. */
import assert from "node:assert/strict"
import { expectStatus, type Pet, pageOf } from "@petstore/harness/expectations"
import type { Http } from "@petstore/harness/http"
import { byId, create, cursorOf, idsOf, isFoundBy, pages, patch, readPet, remove, unusedId, walk } from "../catalogue.ts"
import { refusesQueries } from "../every.ts"
import { reads, type Sentence, writes } from "../sentence.ts"
import { wrongIdentifiers } from "../wrong-values.ts"

const asked = (ids: ReadonlyArray<bigint>): string => ids.map((id) => `id=${id}`).join("&")

const wrongInt64s = [
  ...wrongIdentifiers.notDecimal,
  ...wrongIdentifiers.badlyEncoded,
  ...["", "9223372036854775808", "%2B7", "07", "1,2"],
]

/** Creates pets with each status and without a status, alternately in two categories that no other pet has. */
const newCategories = async (http: Http) => {
  const one = BigInt.asIntN(64, crypto.getRandomValues(new BigInt64Array(1))[0] ?? 1n)
  const categories = [one, one ^ 1n] as const
  const made: Array<Pet> = []
  for (let index = 0; index < 8; index += 1) {
    const status = ["available", "pending", "sold", undefined][index >> 1]
    made.push(await create(http, { categoryId: categories[index % 2 ? 1 : 0], ...(status !== undefined && { status }) }))
  }
  return { categories, made }
}

/** Every combination of filters, each with the matching pets. */
const combinations = (categories: readonly [bigint, bigint], made: ReadonlyArray<Pet>) => {
  const some = idsOf(made.slice(2))
  return ["", "&status=sold"].flatMap((status) =>
    [`categoryId=${categories[0]}`, asked(some), `${asked(some)}&categoryId=${categories[0]}`].flatMap((filter) =>
      ["", "&order=asc", "&order=desc"].map((order) => {
        const found = made.filter(
          (pet) =>
            (status === "" || pet.status === "sold") &&
            (!filter.includes("categoryId") || pet.categoryId === categories[0]) &&
            (!filter.includes("id=") || filter.startsWith("categoryId") || some.includes(pet.id)),
        )
        const ascending = found.toSorted(byId)
        return { query: filter + status + order, found: order === "&order=desc" ? ascending.toReversed() : ascending }
      }),
    ),
  )
}

/** A word that no other name has. */
const newLetters = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => String.fromCharCode(97 + (byte % 26))).join("")

/** Creates pets whose names have a unique word, with diacritics, other words and mixed case. */
const newNames = async (http: Http) => {
  const letters = newLetters()
  const categoryId = BigInt.asIntN(64, crypto.getRandomValues(new BigInt64Array(1))[0] ?? 1n)
  const long = "x".repeat(64)
  const words = ["b", "", "B", "\u0301", "\u{1f436}", "\uffee", long, `${long}y`, "\u00c9lan", "Wei\u00dfpfote", "O\u2019Neill"]
  const made: Array<Pet> = []
  for (const [index, word] of words.entries()) {
    const name = index % 2 === 0 ? `${letters}${word === "\u0301" ? "" : " "}${word}` : `${word}, ${letters.toUpperCase()}`
    made.push(await create(http, { name, categoryId, ...(index % 3 === 0 && { status: "sold" }) }))
  }
  return { letters, categoryId, made }
}

/** Names, and texts that find them. */
const sameWords = [
  ["Mr. Whiskers", "whisk MR"],
  ["ΟΔΥΣΣΕΎΣ", "οδυσσευς"],
  ["Weißpfote", "WEISSPF"],
  ["Fıstık", "FISTIK"],
  ["Łapka", "lapka"],
  ["Þórður", "thordur"],
  ["Ægir", "aegir"],
  ["O’Neill", "o'n"],
  ["O`Neill", "o\u00b4neill"],
  ["Ёжик", "ежик"],
  ["שָׁלוֹם", "שלום"],
  ["مُحَمَّد", "محمد"],
  ["मोती", "मो"],
  ["ﾊﾟﾊﾟ", "パパ"],
  ["葛\u{e0100}城", "葛城"],
  ["강아지", "\u1100\u1161\u11bc"],
  ["Rex-2", "2 rex"],
] as const

/** Names, and texts that do not find them. */
const otherWords = [
  ["Mr. Whiskers", "hiskers"],
  ["मोती", "माता"],
  ["パパ", "ハハ"],
  ["สีดา", "สุดา"],
  ["O’Neill", "neill"],
] as const

export const filters: ReadonlyArray<Sentence> = [
  writes("4.1.30", "lists the pets that are requested by identifier", async ({ http }) => {
    const one = await create(http, { status: "sold" })
    const two = await create(http)
    const nothing = await unusedId(http)
    const both = [one, two].toSorted(byId)
    assert.deepEqual(pageOf(await http.get(`/pets?${asked([two.id, nothing, one.id])}`)), both)
    assert.deepEqual(pageOf(await http.get(`/pets?id=${nothing}`)), [])
    assert.deepEqual(pageOf(await http.get(`/pets?${asked(idsOf(both))}&limit=1`)), both.slice(0, 1))
    assert.deepEqual(pageOf(await http.get(`/pets?${asked(idsOf(both))}&status=sold`)), [one])
    const many = Array.from({ length: 100 }, (_, index) => BigInt(index) - 50n)
    expectStatus(await http.get(`/pets?${asked(many)}`), 200)
    assert.ok(pageOf(await http.get(`/pets?${asked(many)}`)).length <= 20)
  }),
  reads("4.1.31", "rejects malformed identifiers and too many identifiers", async ({ http }) => {
    await refusesQueries(http, "id", [...wrongInt64s.map((value) => `id=${value}`), "id=1&id=x", "id=&id=1", "id"])
    const many = Array.from({ length: 100 }, (_, index) => BigInt(index))
    expectStatus(await http.get(`/pets?${asked([...many, 7n, 7n])}`), 200)
    await refusesQueries(http, "id", [asked([...many, 100n])])
  }),
  writes("4.1.32", "lists the pets in a category", async ({ http }) => {
    const { categories, made } = await newCategories(http)
    for (const categoryId of categories) {
      const found = await walk(http, `?limit=3&categoryId=${categoryId}`)
      const expected = made.filter((pet) => pet.categoryId === categoryId)
      assert.deepEqual(idsOf(found), idsOf(expected.toSorted(byId)))
    }
  }),
  reads("4.1.33", "rejects a categoryId that is not one int64", ({ http }) =>
    refusesQueries(http, "categoryId", [...wrongInt64s.map((value) => `categoryId=${value}`), "categoryId=1&categoryId=1"]),
  ),
  reads("4.1.34", "orders pets by identifier, ascending or descending", async ({ http }) => {
    for (const order of ["", "&order=asc", "&order=desc"]) {
      const pets = pageOf(await http.get(`/pets?limit=100${order}`))
      const ascending = pets.toSorted(byId)
      assert.deepEqual(pets, order === "&order=desc" ? ascending.toReversed() : ascending)
    }
    const [newest] = await walk(http, "?limit=100&order=desc")
    assert.deepEqual(newest, (await walk(http, "?limit=100")).at(-1))
  }),
  reads("4.1.35", "rejects an unknown order", ({ http }) =>
    refusesQueries(http, "order", ["", "ASC", "Desc", "id", "-id", "asc,desc", "%20asc", "asc&order=asc"], "order="),
  ),
  writes("4.1.36", "combines filters", async ({ http }) => {
    const { categories, made } = await newCategories(http)
    for (const { query, found } of combinations(categories, made)) {
      assert.deepEqual(await walk(http, `?limit=2&${query}`), found, query)
      assert.deepEqual(pageOf(await http.get(`/pets?limit=100&${query}`)), found, query)
    }
  }),
  writes("4.1.37", "keeps filters in the link and rejects its cursor with other filters", async ({ http }) => {
    const { categories, made } = await newCategories(http)
    const ids = asked(idsOf(made))
    const same: Readonly<Record<string, string>> = {
      [ids]: asked(idsOf(made).toReversed()),
      [`categoryId=${categories[0]}`]: `order=asc&categoryId=${categories[0]}`,
      [`order=desc&categoryId=${categories[1]}`]: `categoryId=${categories[1]}&order=desc`,
      "order=asc": "limit=1",
    }
    const queries = Object.keys(same)
    for (const query of queries) {
      const next = new URL((await http.get(`/pets?limit=1&${query}`)).link("next") ?? assert.fail(query), http.base).searchParams
      const kept = new URLSearchParams(query)
      for (const name of new Set(kept.keys())) {
        if (name !== "order" || kept.get(name) === "desc")
          assert.deepEqual(next.getAll(name).toSorted(), kept.getAll(name).toSorted())
      }
      const cursor = await cursorOf(http, `/pets?limit=1&${query}`)
      expectStatus(await http.get(`/pets?cursor=${cursor}&${same[query]}`), 200)
      const others = [...queries.filter((other) => other !== query), `${query}&status=sold`, `${query}&id=1`]
      await refusesQueries(http, "cursor", others, `cursor=${cursor}&`)
    }
  }),
  writes("4.1.38", "sends a list of one pet with that pet's tag", async ({ http }) => {
    const { id } = await create(http)
    const tag = (await http.get(`/pets/${id}`)).header("etag")
    const response = await http.get(`/pets?id=${id}`)
    assert.deepEqual(pageOf(response), [await readPet(http, id)])
    assert.equal(response.header("etag"), tag)
    expectStatus(await http.get(`/pets?id=${id}`, { headers: [`If-None-Match: ${tag}`] }), 304)
    assert.equal((await http.get(`/pets?id=${id}&unknown=1`)).header("etag"), tag)
    for (const more of ["limit=20", "order=asc", `id=${id}`, "id=-1"]) {
      assert.notEqual((await http.get(`/pets?id=${id}&${more}`)).header("etag"), tag, more)
    }
    const nothing = await http.get(`/pets?id=${await unusedId(http)}`)
    assert.notEqual(nothing.header("etag"), tag)
  }),
  writes("4.1.47", "finds pets by the beginnings of the words of their names, in either order", async ({ http }) => {
    const { letters, made } = await newNames(http)
    const others = ["", " b", "b ", " \u00c9", " elan", " WEISS", " o'n", ` ${"x".repeat(51)}`, ` ${"x".repeat(50)}`, " zzz"]
    for (const text of [...others.map((other) => letters + other), letters.toUpperCase(), letters.slice(0, 11)]) {
      for (const order of ["asc", "desc"]) {
        const found = await walk(http, `?limit=3&order=${order}&name=${encodeURIComponent(text)}`)
        const expected = made.filter(({ name }) => isFoundBy(name, text))
        assert.deepEqual(found, order === "asc" ? expected : expected.toReversed(), text)
      }
    }
    assert.deepEqual(await walk(http, `?name=${letters.slice(1)}`), [])
    assert.deepEqual(await walk(http, `?name=${letters}%25_-`), made)
  }),
  writes("4.1.48", "folds names and texts alike, and cuts them into words", async ({ http }) => {
    const letters = newLetters()
    const isFound = async (name: string, text: string): Promise<boolean> => {
      const { id } = await create(http, { name: `${name} ${letters}` })
      return idsOf(await walk(http, `?name=${encodeURIComponent(`${letters} ${text}`)}`)).includes(id)
    }
    for (const [name, text] of sameWords) assert.ok(await isFound(name, text), `${name} by ${text}`)
    for (const [name, text] of otherWords) assert.ok(!(await isFound(name, text)), `${name} by ${text}`)
  }),
  reads("4.1.49", "rejects a name that is not one string with a word", async ({ http }) => {
    const long = encodeURIComponent("\u{1f436}".repeat(65))
    const wordless = ["%CC%81", "+", "%25", "%EF%BF%BD", "-", encodeURIComponent("\u{1f436}".repeat(64)), "%27"]
    const wrong = ["", "%00", "a%00", "a".repeat(65), long, ...wordless, ...wrongIdentifiers.badlyEncoded]
    await refusesQueries(http, "name", [...wrong.map((value) => `name=${value}`), "name=a&name=a", "name"])
    for (const right of ["a".repeat(64), encodeURIComponent(`${"\u{1f436}".repeat(63)}a`), "1", "+a", "a%CC%81"]) {
      expectStatus(await http.get(`/pets?limit=1&name=${right}`), 200)
    }
  }),
  writes("4.1.50", "combines a name with every other filter", async ({ http }) => {
    const { letters, categoryId, made } = await newNames(http)
    const some = made.filter((_, index) => index % 2 === 0)
    const sold = made.filter(({ status }) => status === "sold")
    const combined: ReadonlyArray<readonly [string, ReadonlyArray<Pet>]> = [
      [`categoryId=${categoryId}`, made],
      [`categoryId=${categoryId ^ 1n}`, []],
      ["status=sold", sold],
      ["withoutStatus=true", made.filter(({ status }) => status === undefined)],
      [`status=sold&categoryId=${categoryId}`, sold],
      [asked(idsOf(some)), some],
    ]
    for (const [query, found] of combined) assert.deepEqual(await walk(http, `?limit=2&name=${letters}&${query}`), found, query)
    const cursor = await cursorOf(http, `/pets?limit=1&name=${letters}%20xx`)
    for (const same of [`${letters.toUpperCase()}+XX`, `x,${letters}-xx`, `xx+${letters.slice(0, 5)}+xx+x+${letters}`]) {
      expectStatus(await http.get(`/pets?cursor=${cursor}&name=${same}`), 200)
    }
    const named = `name=${letters}+xx`
    const others = [`name=${letters}+x`, `${named}&status=sold`, `${named}&withoutStatus=true`, `${named}&order=desc`, "limit=1"]
    await refusesQueries(http, "cursor", others, `cursor=${cursor}&`)
  }),
  writes("4.1.51", "lists the pets without a status", async ({ http }) => {
    const { categories, made } = await newCategories(http)
    const bare = made.filter(({ status }) => status === undefined)
    for (const order of ["asc", "desc"]) {
      const found = await walk(http, `?limit=1&withoutStatus=true&order=${order}&${asked(idsOf(made))}`)
      assert.deepEqual(found, order === "asc" ? bare : bare.toReversed())
    }
    assert.deepEqual(
      await walk(http, `?withoutStatus=true&categoryId=${categories[0]}`),
      bare.filter(({ categoryId }) => categoryId === categories[0]),
    )
    const wrong = ["", "false", "True", "1", "%20true", "true&withoutStatus=true", "true&status=sold", "true&status=available"]
    await refusesQueries(http, "withoutStatus", wrong, "withoutStatus=")
  }),
  writes("4.1.44", "finds a pet by its name immediately, even after a correction", async ({ http }) => {
    const { letters, made } = await newNames(http)
    const [pet] = made
    if (pet === undefined) throw new Error("no pet was created")
    const name = `${[...letters].toReversed().join("")}-new`
    expectStatus(await patch(http, pet.id, JSON.stringify({ name })), 200)
    assert.deepEqual(await walk(http, `?name=${name.toUpperCase()}`), [{ ...pet, name }])
    assert.deepEqual(await walk(http, `?name=${letters}`), made.slice(1))
  }),
  writes("4.1.45", "visits unchanged pets exactly once while other pets are changed or removed", async ({ http }) => {
    for (const order of ["", "&order=desc", "&name=", "&order=desc&name="]) {
      const { letters, categoryId, made } = await newNames(http)
      const [changed, removed] = [made[1], made[2]]
      if (changed === undefined || removed === undefined) throw new Error("no pets were created")
      const query = `categoryId=${categoryId}${order.endsWith("=") ? order + letters : order}`
      const seen: Array<bigint> = []
      for await (const page of pages(http, `?limit=1&${query}`)) {
        seen.push(...page.map(({ id }) => id))
        if (seen.length !== 1) continue
        expectStatus(await patch(http, changed.id, `{"name":"${letters} last","status":"sold"}`), 200)
        expectStatus(await remove(http, removed.id), 204)
      }
      const stayed = idsOf(made).filter((id) => id !== changed.id && id !== removed.id)
      assert.deepEqual(seen.filter((id) => stayed.includes(id)).toSorted(), stayed.toSorted(), query)
    }
  }),
]
