/** Programs on the output of four generators: TypeScript checks them strictly, then Node runs them against a service. */
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { build } from "rolldown"
import { expect, it } from "vitest"
import { installed } from "./npm-packages.js"

const contract = fileURLToPath(new URL("../../openapi.json", import.meta.url))

/** Reads a pet that it added, removes its status, and provokes a typed failure. */
const steps = `
const added = await createPet({ name: "Bello", categoryId: 7, status: "available" })
const page = await listPets({ limit: 5, status: "available", order: "desc" })
const status: "available" | "pending" | "sold" | undefined = page[0]?.status
const corrected = await correctPet(added.id, { status: null })
const refused: "pet_not_available" | string = await createOrder({ petId: added.id })
console.log(JSON.stringify([added.id, page.length, status, corrected.status ?? null, refused]))
`

const programs = [
  {
    generator: "openapi-typescript",
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"],
    generate: ["openapi-typescript/bin/cli.js", "openapi.json", "-o", "contract.ts"],
    program: `
import createClient from "openapi-fetch"
import type { components, paths } from "./contract"

type Schemas = components["schemas"]
const { GET, POST, PATCH } = createClient<paths>({
  baseUrl: process.env["BASE"] ?? "",
  headers: { Authorization: \`Bearer \${process.env["KEY"]}\` },
})
const some = <A>({ data, error }: { data?: A; error?: Schemas["Error"] }): A => {
  if (data === undefined) throw new Error(error?.message)
  return data
}
const createPet = async (body: Schemas["NewPet"]) => some(await POST("/pets", { body }))
const listPets = async (query: NonNullable<paths["/pets"]["get"]["parameters"]["query"]>) =>
  some(await GET("/pets", { params: { query } }))
const correctPet = async (petId: number, body: Schemas["PetCorrection"]) =>
  some(await PATCH("/pets/{petId}", { params: { path: { petId } }, body }))
const createOrder = async (body: Schemas["NewOrder"]) => (await POST("/store/orders", { body })).error?.code ?? ""
${steps}`,
  },
  {
    generator: "hey-api",
    packages: ["@hey-api/openapi-ts@0.95.0", "typescript@5.9.3"],
    generate: ["@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "contract", "-c", "@hey-api/client-fetch"],
    program: `
import * as api from "./contract"
import { client } from "./contract/client.gen"

client.setConfig({ baseUrl: process.env["BASE"] ?? "", auth: () => process.env["KEY"] })
const createPet = async (body: api.NewPet) => (await api.createPet({ body, throwOnError: true })).data
const listPets = async (query: NonNullable<api.ListPetsData["query"]>) =>
  (await api.listPets({ query, throwOnError: true })).data
const correctPet = async (petId: number, body: api.PetCorrection) =>
  (await api.correctPet({ path: { petId }, body, throwOnError: true })).data
const createOrder = async (body: api.NewOrder) => (await api.createOrder({ body })).error?.code ?? ""
${steps}`,
  },
  {
    generator: "orval",
    // Unlike later versions, this one's output cannot be loaded if a schema stands after one that refers to it.
    packages: ["orval@7.13.2", "typescript@5.9.3"],
    generate: ["orval/dist/bin/orval.js", "-i", "openapi.json", "-o", "contract.ts", "--client", "fetch"],
    program: `
import * as api from "./contract"

// The generated functions call fetch with a path.
const { fetch } = globalThis
globalThis.fetch = (path, options) => fetch((process.env["BASE"] ?? "") + path, options)
const options = { headers: { Authorization: \`Bearer \${process.env["KEY"]}\` } }
const createPet = async (pet: api.NewPet) => {
  const { status, data } = await api.createPet(pet, options)
  if (status !== 201) throw new Error(data.message)
  return data
}
const listPets = async (query: api.ListPetsParams) => {
  const { status, data } = await api.listPets(query, options)
  if (status !== 200) throw new Error()
  return data
}
const correctPet = async (petId: number, correction: api.PetCorrection) => {
  const { status, data } = await api.correctPet(petId, correction, options)
  if (status !== 200) throw new Error(data.message)
  return data
}
const createOrder = async (order: api.NewOrder) => {
  const { status, data } = await api.createOrder(order, options)
  return status === 201 ? "" : data.code
}
${steps}`,
  },
  {
    generator: "openapi-typescript-codegen",
    packages: ["openapi-typescript-codegen@0.31.0", "typescript@5.9.3"],
    generate: [
      ...["openapi-typescript-codegen/bin/index.js", "--input", "openapi.json", "--output", "contract"],
      ...["--useOptions", "--useUnionTypes"],
    ],
    program: `
import { ApiError, type NewOrder, type NewPet, OpenAPI, OrdersService, type PetCorrection, PetsService } from "./contract"

Object.assign(OpenAPI, { BASE: process.env["BASE"], TOKEN: process.env["KEY"] })
const createPet = (requestBody: NewPet) => PetsService.createPet({ requestBody })
const listPets = (query: Parameters<typeof PetsService.listPets>[0]) => PetsService.listPets(query)
const correctPet = (petId: number, requestBody: PetCorrection) => PetsService.correctPet({ petId, requestBody })
const createOrder = (requestBody: NewOrder) =>
  OrdersService.createOrder({ requestBody }).then(() => "", (error) => (error instanceof ApiError ? error.body.code : String(error)))
${steps}`,
  },
]

const options = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
  },
  files: ["program.ts", "globals.d.ts"],
}

it.each(programs)("a program on the output of $generator is correct in its types, and runs", async (given) => {
  const { folder, run } = installed(...given.packages)
  copyFileSync(contract, join(folder, "openapi.json"))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options))
  const [generator = "", ...args] = given.generate
  run(generator, ...args)
  writeFileSync(join(folder, "program.ts"), given.program)
  writeFileSync(join(folder, "globals.d.ts"), "declare const process: { readonly env: Record<string, string | undefined> }")
  expect(run("typescript/bin/tsc", "-p", ".")).toBe("")
  const service = await serve(inMemory())
  await build({ cwd: folder, input: "program.ts", output: { file: join(folder, "program.mjs") }, logLevel: "silent" })
  writeFileSync(
    join(folder, "run.mjs"),
    `Object.assign(process.env, ${JSON.stringify({ BASE: `${service.origin}/v1`, KEY: service.key })})\nawait import("./program.mjs")`,
  )
  expect(JSON.parse(run("../run.mjs"))).toEqual([1, 1, "available", null, "pet_not_available"])
})
