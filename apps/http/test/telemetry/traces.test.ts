/** Spans for requests and store calls, recorded by a real SDK that was loaded before the service. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@petstore/harness/client"
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
}

const spansIn = (file: string): ReadonlyArray<Span> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : []

it("the service continues the caller's trace with spans for the request and its store calls, and returns the trace", async () => {
  const folder = temporaryFolder()
  const file = join(folder, "spans")
  const settings = { SPANS_FILE: file, NODE_OPTIONS: `--import ${import.meta.resolve("../tracing-sdk.mjs")}` }
  const service = await serve(environmentIn(folder, settings))
  const traceId = "0af7651916cd43dd8448eb211c80319c"
  const parentId = "b7ad6b7169203331"
  using client = new Client(service.baseUrl, service.key)
  const response = await client.send({
    method: "POST",
    body: `{"name":"Bello","categoryId":1}`,
    headers: [`traceparent: 00-${traceId}-${parentId}-01`],
  })
  const request = () => spansIn(file).find(({ name }) => name === "createPet")
  await service.until(() => request() !== undefined, "the request's span")

  const { spanId = "" } = request() ?? {}
  expect(request()).toMatchObject({
    traceId,
    parentId,
    attributes: { "http.request.method": "POST", "url.path": "/v1/pets", "http.response.status_code": 201 },
  })
  expect(response.header("traceparent")).toBe(`00-${traceId}-${spanId}-01`)
  expect(spansIn(file)).toContainEqual(expect.objectContaining({ name: "pets.insert", traceId, parentId: spanId }))
  await service.until(() => service.logLines().some((line) => line["traceId"] === traceId), "the trace in the log")
})
