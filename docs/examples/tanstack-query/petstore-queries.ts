/**
 * Options for TanStack Query 5 (React, Vue, Svelte, Solid, Angular): copy this file into a page's project.
 *
 *     const queries = petstoreQueries(createClient({ baseUrl, apiKey }))
 *     const { data } = useQuery(queries.pet(7n)) // data.value is the pet, and data.etag the condition for its correction
 *     const { mutate } = useMutation(queries.correctPet(queryClient))
 *     mutate({ id: 7n, correction: { name: "Bello" }, ifMatch: data.etag })
 *
 * The keys contain no bigint, which TanStack Query cannot hash. `toText` and `fromText` are the options `serialize` and
 * `deserialize` of its persisters, for caches with bigints and dates.
 */
import type { CategoryPage, Client, OrderPage, OrderQuery, Page, PetCorrection, PetQuery, Result } from "@petstore/client"
import type { QueryClient } from "@tanstack/query-core"

/** The options that TanStack Query passes to a query. */
interface Context {
  readonly signal: AbortSignal
}

/** A query as part of a key: its members in order, as text. */
const keyOf = (query: object): ReadonlyArray<string> =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()

/** The client repeats requests itself. */
const retry = false

/** A list, page by page, for `useInfiniteQuery`. The first page has the parameter `query`, and each other one its predecessor's `next`. */
const listOf = <Query extends object, One extends { readonly next?: Query }>(
  name: string,
  query: Query,
  list: (query: Query, options: Context) => Promise<Result<One>>,
) => ({
  queryKey: ["petstore", name, ...keyOf(query)],
  queryFn: ({ pageParam, signal }: Context & { readonly pageParam: Query }) => list(pageParam, { signal }),
  initialPageParam: query,
  getNextPageParam: ({ value }: Result<One>): Query | undefined => value.next,
  retry,
})

export const petstoreQueries = (client: Client) => {
  const petKey = (id: bigint) => ["petstore", "pet", String(id)]
  return {
    pet: (id: bigint) => ({
      queryKey: petKey(id),
      queryFn: ({ signal }: Context) => client.getPet(id, { signal }),
      retry,
    }),
    inventory: () => ({
      queryKey: ["petstore", "inventory"],
      queryFn: ({ signal }: Context) => client.getInventory({ signal }),
      retry,
    }),
    pets: (query: PetQuery = {}) => listOf<PetQuery, Page>("pets", query, client.listPets),
    orders: (query: OrderQuery = {}) => listOf<OrderQuery, OrderPage>("orders", query, client.orders.list),
    categories: () => listOf<object, CategoryPage>("categories", {}, client.categories.list),

    /** Corrects a pet as the page shows it. `precondition_failed` means that it has changed: show the new one, and ask again. */
    correctPet: (cache: QueryClient) => ({
      mutationFn: ({ id, correction, ifMatch }: { id: bigint; correction: PetCorrection; ifMatch: string | undefined }) =>
        client.correctPet(id, correction, { ifMatch }),
      onSuccess: (corrected: Awaited<ReturnType<Client["correctPet"]>>) => {
        cache.setQueryData(petKey(corrected.value.id), corrected)
        return cache.invalidateQueries({ queryKey: ["petstore", "pets"] })
      },
      onError: (_: unknown, { id }: { readonly id: bigint }) => cache.invalidateQueries({ queryKey: petKey(id) }),
      retry,
    }),
  }
}

/** JSON has neither bigints nor dates: each becomes an object with one member, which no result of the client has. */
const tag = (value: unknown): unknown => {
  if (typeof value === "bigint") return { $bigint: String(value) }
  return value instanceof Date ? { $date: value.toISOString() } : value
}

const untag = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if ("$bigint" in value) return BigInt(String(value.$bigint))
  return "$date" in value ? new Date(String(value.$date)) : value
}

/** Writes a cache that `fromText` reads back as it was. */
export const toText = (cache: unknown): string =>
  JSON.stringify(cache, function (this: Record<string, unknown>, name) {
    // `this` has the value before a date's `toJSON`.
    return tag(this[name])
  })

export const fromText = <Cache>(text: string): Cache => JSON.parse(text, (_, value: unknown) => untag(value))
