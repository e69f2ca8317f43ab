/** Code that calls each operation. `{base}` stands for the base address. */
import type { CodeSample } from "@petstore/docs/contract"

const client = `import { createClient } from "@petstore/client"

const petstore = createClient({
  baseUrl: "{base}",
  apiKey: "pst_…",
})
`

const both = (curl: string, typescript: string): ReadonlyArray<CodeSample> => [
  { lang: "Shell", label: "curl", source: curl },
  { lang: "TypeScript", label: "TypeScript", source: `${client}\n${typescript}` },
]

export const samples = {
  listPets: both(
    `curl "{base}/pets?limit=20&status=available" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `const page = await petstore.listPets({ limit: 20, status: "available" })
for (const pet of page.items) console.log(pet.id, pet.name)

// Every page, as you go
for await (const pet of petstore.listAllPets()) console.log(pet.id)`,
  ),
  createPet: both(
    `curl "{base}/pets" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Bello",
    "categoryId": 9223372036854775807,
    "status": "available"
  }'`,
    `const pet = await petstore.createPet({
  name: "Bello",
  categoryId: 9223372036854775807n,
  status: "available",
})
console.log(pet.id) // 9007199254740993n`,
  ),
  getPet: both(
    `curl "{base}/pets/9007199254740993" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `const pet = await petstore.getPet(9007199254740993n)`,
  ),
  listOrders: both(
    `curl "{base}/store/orders?status=placed" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `for await (const order of petstore.orders.listAll({ status: "placed" })) console.log(order.id)`,
  ),
  createOrder: both(
    `curl "{base}/store/orders" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"petId": 9007199254740993}'`,
    `const order = await petstore.orders.create({ petId: 9007199254740993n })`,
  ),
  getOrder: both(
    `curl "{base}/store/orders/9007199254740995" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `const order = await petstore.orders.get(9007199254740995n)`,
  ),
  completeOrder: both(
    `curl -X POST \\
  "{base}/store/orders/9007199254740995/complete" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `const order = await petstore.orders.complete(9007199254740995n)`,
  ),
  cancelOrder: both(
    `curl -X POST \\
  "{base}/store/orders/9007199254740995/cancel" \\
  -H "Authorization: Bearer $PETSTORE_API_KEY"`,
    `const order = await petstore.orders.cancel(9007199254740995n)`,
  ),
} as const satisfies Readonly<Record<string, ReadonlyArray<CodeSample>>>
