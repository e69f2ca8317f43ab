/**
 * Without Effect: plain functions and promises. A failure is a value with its type, never a throw.
 *
 * Prints:
 *     201 {"id":1,"name":"Ada","categoryId":9007199254740993}
 *     201 {"id":2,"name":"Bello","categoryId":7,"status":"sold"}
 *     400 {"code":"invalid_json","message":"The body is not valid JSON: it is not one complete JSON text.","status":400}
 *     400 {"code":"invalid_body","message":"name: is required, got nothing.","status":400}
 *     404 {"code":"pet_not_found","message":"No pet has the identifier 404.","status":404}
 *     Ada, Bello
 */
import { encodePet } from "@petstore/core"
import { decodeNewPet, type Failure, type Inventory, openInventory } from "@petstore/core/promise"
import { storage } from "@petstore/storage"

interface Answer {
  readonly status: number
  readonly body: string
}

/** Decode, create, answer. */
const addPet = async (inventory: Inventory, text: string): Promise<Answer> => {
  const decoded = decodeNewPet(text)
  if (!decoded.ok) return refuse(decoded)
  const created = await inventory.createPet(decoded.value)
  if (!created.ok) return refuse(created)
  return { status: 201, body: encodePet(created.value) }
}

const showPet = async (inventory: Inventory, petId: string): Promise<Answer> => {
  const found = await inventory.getPet(petId)
  return found.ok ? { status: 200, body: encodePet(found.value) } : refuse(found)
}

/** `error` is what a client may see; `cause` is for the log. */
const refuse = ({ error, cause }: Failure): Answer => {
  if (cause !== undefined) console.error(cause)
  return { status: error.status, body: JSON.stringify(error) }
}

/** Every pet, page by page: each page holds the query of the next one. */
const allPets = async function* (inventory: Inventory) {
  let query: Parameters<Inventory["listPets"]>[0] = { limit: 1 }
  while (query !== undefined) {
    const page = await inventory.listPets(query)
    if (!page.ok) throw new Error(page.error.message, { cause: page.cause })
    yield* page.value.items
    query = page.value.next
  }
}

const inventory = await openInventory(storage({ adapter: "sqlite", path: ":memory:" }, { migrate: true }))
try {
  const answers = [
    await addPet(inventory, '{"name": "Ada", "categoryId": 9007199254740993}'),
    await addPet(inventory, '{"name": "Bello", "categoryId": 7, "status": "sold"}'),
    await addPet(inventory, '{"name": '),
    await addPet(inventory, '{"categoryId": 7}'),
    await showPet(inventory, "404"),
  ]
  for (const { status, body } of answers) console.log(status, body)

  const names: Array<string> = []
  for await (const { name } of allPets(inventory)) names.push(name)
  console.log(names.join(", "))
} finally {
  await inventory.close()
}
