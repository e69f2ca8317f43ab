/** Starts one peer: `main.ts NAME DATABASE`. Prints its address, as our service does. */
import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { startFastify } from "./fastify.ts"
import { startKoa } from "./koa.ts"
import { startLimit } from "./limit.ts"
import { postgresStore } from "./postgres-store.ts"
import { betterSqlite3Store, nodeSqliteStore } from "./store.ts"

const [name = "", database = ""] = process.argv.slice(2)

const peers: Readonly<Record<string, () => Server | Promise<Server>>> = {
  fastify: () => startFastify(betterSqlite3Store(database), false),
  "fastify-log": () => startFastify(betterSqlite3Store(database), true),
  "fastify-pg": () => startFastify(postgresStore(database), false),
  "fastify-pg-log": () => startFastify(postgresStore(database), true),
  koa: () => startKoa(nodeSqliteStore(database)),
  limit: () => startLimit(nodeSqliteStore(database)),
}

const server = await peers[name]?.()
if (server === undefined) throw new Error(`There is no peer called ${name}.`)
if (!server.listening) await once(server, "listening")
// Safe: the server listens on TCP.
process.stdout.write(`${name} is served at http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`)
