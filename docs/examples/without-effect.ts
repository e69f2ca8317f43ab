/**
 * Without Effect: plain functions and promises. A failure is a typed value and is never thrown.
 *
 * Prints:
 *     201 {"id":1,"name":"Ada","categoryId":9007199254740993}
 *     201 {"id":2,"name":"Bello","categoryId":7,"status":"sold"}
 *     400 {"code":"invalid_json","message":"The body is not valid JSON: it is not one complete JSON text, at line 1, column 10.","status":400}
 *     400 {"code":"invalid_body","message":"name: is required, got nothing.","status":400}
 *     404 {"code":"pet_not_found","message":"No pet has the identifier 404.","status":404}
 *     Ada, Bello
 *     createPet Ada
 *     createPet Bello
 */
import { type Catalogue, decodePetId, encodePet, type Failure, parseNewPet } from "@petstore/core/promise"
import { openPetstore } from "@petstore/storage/promise"

interface Reply {
  readonly status: number
  readonly body: string
}

/** Decode, create, respond. */
const addPet = async (petstore: Catalogue, text: string): Promise<Reply> => {
  const decoded = parseNewPet(text)
  if (!decoded.ok) return refuse(decoded)
  const created = await petstore.createPet(decoded.value)
  if (!created.ok) return refuse(created)
  return { status: 201, body: encodePet(created.value) }
}

/** The identifier comes from a URL. It is decoded exactly; an invalid identifier does not match any pet. */
const showPet = async (petstore: Catalogue, petId: string): Promise<Reply> => {
  const id = decodePetId(petId)
  if (!id.ok) return refuse(id)
  const found = await petstore.getPet(id.value)
  return found.ok ? { status: 200, body: encodePet(found.value) } : refuse(found)
}

/** `error` is for the client, `cause` for the log. */
const refuse = ({ error, cause }: Failure): Reply => {
  if (cause !== undefined) console.error(cause)
  return { status: error.status, body: JSON.stringify(error) }
}

await using petstore = await openPetstore("sqlite::memory:", { migrate: true })

const responses = [
  await addPet(petstore, '{"name": "Ada", "categoryId": 9007199254740993}'),
  await addPet(petstore, '{"name": "Bello", "categoryId": 7, "status": "sold"}'),
  await addPet(petstore, '{"name": '),
  await addPet(petstore, '{"categoryId": 7}'),
  await showPet(petstore, "404"),
]
for (const { status, body } of responses) console.log(status, body)

const names: Array<string> = []
for await (const { name } of petstore.listAllPets()) names.push(name)
console.log(names.join(", "))

// What happened, from the oldest kept change, and then what happens. Store `cursor` with your data: it is where to go on after a restart.
const feed = petstore.changes()
for await (const { operation, after } of feed) {
  console.log(operation, after?.pet?.name)
  if (after?.pet?.name === "Bello") break
}
