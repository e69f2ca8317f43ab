/** Starts one peer: `main.ts NAME DATABASE PORT`. */
import { startExpress } from "./express.ts"
import { startFastify } from "./fastify.ts"
import { startHono } from "./hono.ts"
import { startKoa } from "./koa.ts"
import { startLimit } from "./limit.ts"
import { postgresStore } from "./postgres-store.ts"
import { betterSqlite3Store, nodeSqliteStore } from "./store.ts"

const [name = "", database = "", portText = ""] = process.argv.slice(2)
const port = Number(portText)

switch (name) {
  case "fastify":
    await startFastify(betterSqlite3Store(database), port, false)
    break
  case "fastify-log":
    await startFastify(betterSqlite3Store(database), port, true)
    break
  case "fastify-pg":
    await startFastify(postgresStore(database), port, false)
    break
  case "fastify-pg-log":
    await startFastify(postgresStore(database), port, true)
    break
  case "express":
    startExpress(betterSqlite3Store(database), port)
    break
  case "hono":
    startHono(nodeSqliteStore(database), port)
    break
  case "koa":
    startKoa(nodeSqliteStore(database), port)
    break
  case "limit":
    startLimit(nodeSqliteStore(database), port)
    break
  default:
    throw new Error(`There is no peer ${name}.`)
}
