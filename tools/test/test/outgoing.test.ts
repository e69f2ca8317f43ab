/** The service accepts no address from a client, so no client can make the service connect to an address (OWASP API7:2023). */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../../..")

/** Functions that open a connection: global ones, and those in Node's modules. */
const opensConnections: ReadonlySet<string> = new Set([
  "fetch",
  "WebSocket",
  "EventSource",
  "request",
  "get",
  "connect",
  "createConnection",
  "createSocket",
])

/** Imports of these functions from Node's network modules, calls of the global `fetch`, and `new` with one of these names. */
const outgoing = (file: string, source: string): ReadonlyArray<string> => {
  const { module, program } = parseSync(file, source)
  const fromNode = module.staticImports
    .filter(({ moduleRequest }) => /^(?:node:)?(?:https?|http2|net|tls|dgram)$/.test(moduleRequest.value))
    .flatMap(({ entries }) => entries.filter(({ isType }) => !isType).map(({ localName }) => localName.value))
  const found = fromNode.filter((name) => opensConnections.has(name))
  new Visitor({
    CallExpression: ({ callee }) => {
      if (callee.type === "Identifier" && callee.name === "fetch") found.push(callee.name)
    },
    NewExpression: ({ callee }) => {
      if (callee.type === "Identifier" && opensConnections.has(callee.name)) found.push(callee.name)
    },
  }).visit(program)
  return found.map((name) => `${file}: ${name}`)
}

it("outgoing finds the functions that open connections, and no other functions", () => {
  expect(outgoing("a.ts", 'import { request } from "node:http"\nfetch("http://a")\nnew WebSocket("ws://a")')).toHaveLength(3)
  expect(outgoing("a.ts", 'import { createServer, type Server } from "node:http"\nheaders.get("a")')).toStrictEqual([])
})

/** `petstore doctor` and the first of several processes send requests to the addresses on which the service listens. */
const local = ["apps/http/src/process/workers.ts: fetch", "apps/http/src/cli/doctor/ports.ts: fetch"]

/** The connection to the server of `DATABASE_URL`. */
const database = "packages/storage/src/postgres/engine/stream.ts: connect"

it("the service opens connections only to its database and its own ports", () => {
  const files = globSync("{apps/*,packages/{core,storage}}/src/**/*.ts", { cwd: root })
    // The pages run in a browser.
    .filter((file) => !/^apps\/(?:docs\/src\/browser|counter\/src)\//.test(file))
  expect(files.length).toBeGreaterThan(50)
  expect(files.flatMap((file) => outgoing(file, readFileSync(join(root, file), "utf8")))).toStrictEqual([database, ...local])
})
