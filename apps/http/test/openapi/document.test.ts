/** Compares the contract with its sources: the committed file, the routes and the decoding schemas. */
import { readFileSync } from "node:fs"
import { decodeJson, decodeNewPet, decodePetPageRequest } from "@petstore/core"
import { operations as described, type Example, errorStatuses, operationsOf, type Reference } from "@petstore/core/contract"
import { stringifyExactJson } from "@petstore/core/exact-json"
import { Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import { decodeConfig } from "../../src/config.js"
import { operations as operationsOfService } from "../../src/http/operations.js"
import { parametersOf } from "../../src/http/request/target.js"
import { routerOf } from "../../src/http/routes.js"
import { openApiDocument, openApiText } from "../../src/openapi/document.js"
import { pathPrefixOf, serversOf, unknownServers } from "../../src/openapi/servers.js"
import { schemasOf } from "../contract-checker.js"

const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")
const contract = openApiDocument(described, unknownServers)

const operations = operationsOf(contract)

/** An example, with its reference resolved. */
const exampleOf = (example: Example | Reference): Example => {
  const found = "$ref" in example ? contract.components.examples[example.$ref.split("/").at(-1) ?? ""] : example
  if (found === undefined) throw new Error(`nothing is at ${JSON.stringify(example)}`)
  return found
}

/** An example's value, as parsed by a JSON parser without 64-bit integers. */
const readValue = (example: Example | Reference) => JSON.parse(stringifyExactJson(exampleOf(example).value))

const ajv = schemasOf(JSON.parse(committed))
const validator = (name: string) => {
  const validate = ajv.getSchema(`contract#/components/schemas/${name}`)
  if (validate === undefined) throw new Error(`no schema ${name}`)
  return validate
}

describe("the committed contract", () => {
  it("is up to date: npm run fix writes the same file", () => {
    expect(openApiText(openApiDocument(described, unknownServers))).toBe(committed)
  })

  it("is OpenAPI 3.1, version 1.0.0, with the specification's schemas", () => {
    expect(JSON.parse(committed)).toMatchObject({ openapi: "3.1.0", info: { version: "1.0.0" } })
    expect(Object.keys(contract.components.schemas)).toEqual(
      expect.arrayContaining(["Pet", "NewPet", "PetStatus", "Pets", "Error"]),
    )
  })

  it("writes integers above 2^53 exactly", () => {
    expect(committed).toContain('"categoryId": 9007199254740993\n')
  })

  it("has at most 3.8 kB for each operation, minified", () => {
    expect(Buffer.byteLength(stringifyExactJson(contract))).toBeLessThan(3_800 * operations.length)
  })

  it("marks getPet, and nothing else, as deprecated, with its removal date", () => {
    const deprecated = operations.filter(({ operation }) => operation.deprecated === true || "x-sunset" in operation)
    expect(deprecated.map(({ operation }) => [operation.operationId, operation["x-sunset"]])).toEqual([["getPet", "2030-12-05"]])
  })

  it("marks three operations as stable, and all others as experimental", () => {
    const ofStability = (wanted: string) => operations.filter(({ operation }) => operation["x-stability"] === wanted)
    expect(ofStability("stable").map(({ operation }) => operation.operationId)).toEqual(["listPets", "createPet", "getPet"])
    expect(ofStability("experimental")).toHaveLength(operations.length - 3)
  })

  it("has every error code, each with a meaning, a remedy and an example with its status", () => {
    const codes = Object.entries({ ...contract.components.examples, ...contract["x-other-errors"] }).map(([code, example]) => {
      const { summary, description } = exampleOf(example)
      expect([summary, description]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)])
      expect(readValue(example).code).toBe(code)
      return [code, readValue(example).status]
    })
    expect(Object.fromEntries(codes)).toEqual(errorStatuses)
  })

  it("lists only error codes with the right status for each failure of an operation", () => {
    for (const { responses } of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        const codes = Object.values(content?.["application/json"].examples ?? {})
        expect(codes.length).toBeGreaterThan(0)
        for (const code of codes) expect(readValue(code).status).toBe(Number(status))
      }
    }
  })

  it("has valid examples for every body of every operation", () => {
    let count = 0
    for (const { operation, responses } of operations) {
      for (const body of [operation.requestBody, ...Object.values(responses)]) {
        if (body?.content === undefined) continue
        const { schema, examples } = body.content["application/json"]
        const validate = validator(schema.$ref.split("/").at(-1) ?? "")
        expect(Object.keys(examples).length).toBeGreaterThan(0)
        for (const [name, example] of Object.entries(examples)) {
          count += 1
          expect([name, validate(readValue(example)), validate.errors]).toEqual([name, true, null])
        }
      }
    }
    expect(count).toBeGreaterThan(operations.length * 8)
  })
})

describe("the routes and the contract", () => {
  it("match in both directions", () => {
    const served = routerOf(operationsOfService)
      .stack.filter(({ path }) => String(path).startsWith("/v1/"))
      .flatMap(({ path, methods }) =>
        methods.filter((method) => method !== "HEAD").map((method) => `${method} ${String(path).replace(/:(\w+)/g, "{$1}")}`),
      )
    const documented = operations.map(({ path, method }) => `${method.toUpperCase()} /v1${path}`)
    expect(documented.toSorted()).toEqual(served.toSorted())
  })
})

it("describes each group of failures once: every operation but the deprecated one refers to it", () => {
  const inline = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Number(status) < 400 || "$ref" in response ? [] : [operation.operationId],
    ),
  )
  expect(new Set(inline)).toEqual(new Set(["getPet"]))
})

describe("the parameters", () => {
  const parameters = Object.entries(contract.components.parameters)

  it("have no example where a console would send it to everybody's surprise: cursors, conditions, keys, request identifiers", () => {
    const shown = parameters.filter(([, { example }]) => example !== undefined).map(([name]) => name)
    expect(shown.toSorted()).toEqual(["categoryId", "limit", "orderId", "petId", "stateOfOrder", "status"])
  })

  it("say of every 64-bit integer that JavaScript rounds it, as the schemas do", () => {
    const silent = (where: string, schema: unknown): ReadonlyArray<string> => {
      if (typeof schema !== "object" || schema === null) return []
      const { format, description }: { readonly [keyword: string]: unknown } = { ...schema }
      const isSilent = format === "int64" && !/JavaScript.*rounds it beyond 2\^53/.test(String(description))
      return [...(isSilent ? [where] : []), ...Object.entries(schema).flatMap(([name, part]) => silent(`${where}.${name}`, part))]
    }
    expect(silent("schemas", contract.components.schemas)).toEqual([])
    expect(silent("parameters", contract.components.parameters)).toEqual([])
  })
})

it("has no two components whose names differ only in case, which generators write as one name", () => {
  const { schemas, parameters, responses } = contract.components
  const names = [schemas, parameters, responses]
    .flatMap((components) => Object.keys(components))
    .map((name) => name.toLowerCase())
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

describe("a list's examples", () => {
  it("contain a link to a next page that the service accepts", () => {
    const [, query = ""] = /\?([^>]*)>/.exec(contract.components.headers["NextPage"]?.example ?? "") ?? []
    const valuesIn = Either.getOrThrow(parametersOf(query, ["limit", "status", "cursor"]))
    expect(Either.isRight(decodePetPageRequest(valuesIn))).toBe(true)
    expect(query).toContain("cursor=")
  })
})

it("has the bounds that the service enforces", () => {
  /** The bounds below a value of the document, by their place. */
  const boundsIn = (value: unknown, place = ""): ReadonlyArray<string> =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([name, part]) =>
          /^(?:max|min)(?:imum|Length|Items)$/.test(name)
            ? [`${place} ${name} ${part}`]
            : boundsIn(part, /^(?:properties|schema|items|anyOf|[0-9])$/.test(name) ? place : `${place} ${name}`.trimStart()),
        )
  const { schemas, parameters } = contract.components
  const bounds = [...boundsIn(parameters), ...boundsIn(schemas)].filter((bound) => !/ min\w+ [01]$/.test(bound))
  expect(bounds.toSorted()).toEqual([
    ...["Categories maxItems 100", "Category name maxLength 1024", "Change by account name maxLength 200"],
    ...["Change by key label maxLength 200", "Change requestId maxLength 128", "Changes maxItems 100"],
    ...["Error status maximum 599", "Error status minimum 400", "Me account name maxLength 200", "Me key label maxLength 200"],
    ...[
      "NewCategory name maxLength 1024",
      "NewOrder note maxLength 256",
      "NewPet name maxLength 1024",
      "Order note maxLength 256",
    ],
    ...["OrderChange note maxLength 256", "Orders maxItems 100", "Pet name maxLength 1024", "PetCorrection name maxLength 1024"],
    ...["Pets maxItems 100", "id maxItems 100", "idempotencyKey maxLength 257", "limit maximum 100", "name maxLength 64"],
    ...["requestId maxLength 128", "wait maximum 30"],
  ])
})

describe("the schema NewPet and the decoder", () => {
  const bodies = [
    ...['{"name":"Bello","categoryId":7}', '{"name":"Bello","categoryId":9223372036854775807,"status":"sold"}'],
    ...['{"name":" x ","categoryId":0,"id":1,"other":null}', `{"name":"${"x".repeat(1024)}","categoryId":-1}`],
    ...[`{"name":"${"\u{1f408}".repeat(1024)}","categoryId":1}`, `{"name":"${"\u{1f408}".repeat(1025)}","categoryId":1}`],
    ...[`{"name":"${"x".repeat(1025)}","categoryId":1}`, '{"name":"","categoryId":1}', '{"name":" \\n\\u00a0","categoryId":1}'],
    ...['{"name":"a\\u0000b","categoryId":1}', '{"categoryId":1}', '{"name":"x"}', '{"name":1,"categoryId":1}'],
    ...['{"name":"x","categoryId":1.5}', '{"name":"x","categoryId":"1"}', '{"name":"x","categoryId":null}'],
    ...['{"name":"x","categoryId":1,"status":"Sold"}', '{"name":"x","categoryId":1,"status":null}', "[]", "null", '"x"'],
    ...['{"name":"x\\ny","categoryId":1e2}', '{"name":"x","categoryId":1.0}'],
  ]
  it.each(bodies)("agree about %s", (body) => {
    const decoded = Either.isRight(Either.flatMap(decodeJson(body), decodeNewPet))
    expect(validator("NewPet")(JSON.parse(body))).toBe(decoded)
  })
})

describe("the contract's addresses", () => {
  const none = { publicBaseUrl: Option.none(), stagingBaseUrl: Option.none() }
  const both = {
    publicBaseUrl: Option.some("https://api.example.com/v1"),
    stagingBaseUrl: Option.some("https://staging.example.com/v1"),
  }

  it("come from the settings", () => {
    expect(serversOf({ deployment: "production", ...both }).map(({ url }) => url)).toEqual([
      "https://api.example.com/v1",
      "https://staging.example.com/v1",
    ])
  })

  it("may have a path in front, which the paths of this deployment then have", () => {
    const address = (url: string) => ({ publicBaseUrl: Option.some(url), stagingBaseUrl: Option.none() })
    const prefixOf = (url: string) => pathPrefixOf({ deployment: "production", ...address(url) })
    expect(prefixOf("https://shop.example/api/v1")).toBe("/api")
    expect(prefixOf("https://shop.example/a/b/v1")).toBe("/a/b")
    expect(prefixOf("https://shop.example/v1")).toBe("")
    expect(pathPrefixOf({ deployment: "staging", ...address("https://shop.example/api/v1") })).toBe("")
    expect(Either.isRight(decodeConfig({ PUBLIC_BASE_URL: "https://shop.example/api/v1" }))).toBe(true)
  })

  it("are relative and name only the deployment if no address is set", () => {
    expect(serversOf({ deployment: "production", ...none })).toEqual([{ url: "/v1", description: "Production" }])
    expect(serversOf({ deployment: "staging", ...none })).toEqual([{ url: "/v1", description: "Staging" }])
    expect(serversOf({ deployment: "development", ...none })).toEqual([{ url: "/v1", description: "Development" }])
  })

  it.each([
    "ftp://api.example.com/v1",
    "https://api.example.com/",
    "https://api.example.com/v1?x",
    "https://example.com/pets//v1",
    "https://example.com/p%2Fets/v1",
    "https://example.com/pets/v1/",
    "https://me:secret@api.example.com/v1",
    "api.example.com/v1",
  ])("cannot be set to %s", (url) => {
    const config = decodeConfig({ PUBLIC_BASE_URL: url })
    expect(Either.isLeft(config) && config.left.problems).toEqual([
      expect.stringMatching(/^PUBLIC_BASE_URL: expected an http or https address that ends in \/v1/),
    ])
    expect(JSON.stringify(config)).not.toContain("secret")
  })
})
