/**
 * Your own API with Hono: API keys, idempotency keys, pages with a link to the next one. To serve it, pass `app.fetch` to a
 * server, such as `serve` of `@hono/node-server`.
 *
 * Prints:
 *     401 {"code":"missing_credential","message":"The request needs an API key: Authorization: Bearer <API_KEY>.","status":401}
 *     201 {"id":1,"name":"Bello","categoryId":9007199254740993}
 *     201 {"id":1,"name":"Bello","categoryId":9007199254740993}
 *     201 {"id":2,"name":"Ada","categoryId":7}
 *     200 [{"id":1,"name":"Bello","categoryId":9007199254740993}]
 *     </pets?limit=1&cursor=1bsrRFpets__1>; rel="next"
 *     404 {"code":"pet_not_found","message":"No pet has the identifier 404.","status":404}
 */
import {
  decodeAuthorization,
  decodeIdempotencyKey,
  decodePetId,
  decodePetQuery,
  encodePet,
  encodePets,
  type Failure,
  parseNewPet,
} from "@petstore/core/promise"
import { openPetstore } from "@petstore/storage/promise"
import { type Context, Hono } from "hono"

const petstore = await openPetstore("sqlite::memory:", { migrate: true })
const app = new Hono<{ Variables: { accountId: string } }>()

/** `error` is for the client, `cause` for the log. */
const refuse = (c: Context, { error, cause }: Failure) => {
  if (cause !== undefined) console.error(cause)
  if (error.status === 401) c.header("WWW-Authenticate", "Bearer")
  return c.json(error, error.status)
}
/** The text is already JSON, because `c.json` cannot encode a bigint. */
const send = (c: Context, status: 200 | 201, json: string) => c.body(json, status, { "Content-Type": "application/json" })

app.use(async (c, next) => {
  const secret = decodeAuthorization(c.req.header("Authorization"))
  const key = secret.ok ? await petstore.apiKeys.authenticate(secret.value, "development") : secret
  if (!key.ok) return refuse(c, key)
  c.set("accountId", key.value.accountId)
  return next()
})

app.post("/pets", async (c) => {
  const pet = parseNewPet(await c.req.text())
  if (!pet.ok) return refuse(c, pet)
  const key = decodeIdempotencyKey(c.req.header("Idempotency-Key"))
  if (!key.ok) return refuse(c, key)
  const created = key.value
    ? await petstore.createPetOnce(pet.value, key.value, { accountId: c.get("accountId") })
    : await petstore.createPet(pet.value)
  return created.ok ? send(c, 201, encodePet(created.value)) : refuse(c, created)
})

app.get("/pets", async (c) => {
  const parameters = new URL(c.req.url).searchParams
  const query = decodePetQuery(parameters)
  const page = query.ok ? await petstore.listPets(query.value) : query
  if (!page.ok) return refuse(c, page)
  const { items, next } = page.value
  if (next) {
    parameters.set("cursor", next.cursor)
    c.header("Link", `</pets?${parameters}>; rel="next"`)
  }
  return send(c, 200, encodePets(items))
})

app.get("/pets/:id", async (c) => {
  const id = decodePetId(c.req.param("id"))
  const pet = id.ok ? await petstore.getPet(id.value) : id
  return pet.ok ? send(c, 200, encodePet(pet.value)) : refuse(c, pet)
})

await petstore.accounts.create("shop")
const made = await petstore.apiKeys.create({ accountName: "shop", deployment: "development" })
if (!made.ok) throw new Error(made.error.message)
const headers = { Authorization: `Bearer ${made.value.secret}` }
const shown = async (path: string, init?: RequestInit): Promise<string | null> => {
  const response = await app.request(path, init)
  console.log(response.status, await response.text())
  return response.headers.get("Link")
}
const bello = { method: "POST", body: '{"name": "Bello", "categoryId": 9007199254740993}' }
await shown("/pets")
await shown("/pets", { ...bello, headers: { ...headers, "Idempotency-Key": "k" } })
await shown("/pets", { ...bello, headers: { ...headers, "Idempotency-Key": '"k"' } })
await shown("/pets", { method: "POST", body: '{"name": "Ada", "categoryId": 7}', headers })
console.log(await shown("/pets?limit=1", { headers }))
await shown("/pets/404", { headers })
await petstore.close()
