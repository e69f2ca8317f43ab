/** Starts one peer: `main.ts NAME DATABASE`. Prints its address, as our service does. */
import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"
import Database from "better-sqlite3"
import { startFastify } from "./fastify.ts"
import { startKoa } from "./koa.ts"
import { startLimit } from "./limit.ts"
import { postgresStore } from "./postgres-store.ts"
import { sqliteStore } from "./store.ts"

const [name = "", database = ""] = process.argv.slice(2)

const peers: Readonly<Record<string, () => Server | Promise<Server>>> = {
  fastify: () => startFastify(sqliteStore(new Database(database)), false),
  "fastify-log": () => startFastify(sqliteStore(new Database(database)), true),
  "fastify-pg": () => startFastify(postgresStore(database), false),
  "fastify-pg-log": () => startFastify(postgresStore(database), true),
  koa: () => startKoa(sqliteStore(new DatabaseSync(database))),
  limit: () => startLimit(sqliteStore(new DatabaseSync(database))),
}

const server = await peers[name]?.()
if (server === undefined) throw new Error(`There is no peer called ${name}.`)
if (!server.listening) await once(server, "listening")
// Safe: the server listens on TCP.
process.stdout.write(`${name} is served at http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`)
