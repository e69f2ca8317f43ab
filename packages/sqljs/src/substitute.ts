/**
 * Replaces `node:sqlite` with this package in a process of Node.js: `node --require @petstore/sqljs/substitute program.js`.
 *
 * The members of the built-in module itself are replaced, so every way to load it gives this package's. Worker threads and child
 * processes load this module too, before their own code. `--import` would be too late for a worker made from text.
 */
import { syncBuiltinESMExports } from "node:module"
import { fileURLToPath } from "node:url"
import type { WorkerOptions } from "node:worker_threads"
import sqlite from "./index.js"

const refuse = (why: string): never => {
  throw new Error(`@petstore/sqljs cannot replace node:sqlite: ${why}.`)
}

const path = fileURLToPath(import.meta.url)
const requireThis = ["--require", path]

/** The value of NODE_OPTIONS, changed so that it also loads this module. */
const withThis = (options = ""): string => {
  const quoted = JSON.stringify(path)
  return options.includes(quoted) ? options : `${options} --require ${quoted}`.trim()
}

// On these runtimes, a worker thread or a child process would run the native module.
if ("bun" in process.versions || "deno" in process.versions) refuse("only Node.js loads this module in every thread")
const native = process.getBuiltinModule("node:sqlite") ?? refuse("this Node.js does not have it; import @petstore/sqljs")
for (const name of Object.keys(native)) if (!(name in sqlite)) refuse(`it has the member ${name}, which this package lacks`)
Object.assign(native, sqlite)

const workerThreads = process.getBuiltinModule("node:worker_threads")
/** Inherits `--require`, as every worker does, and gets it again if it has its own arguments or variables. */
class Worker extends workerThreads.Worker {
  constructor(program: string | URL, options: WorkerOptions = {}) {
    const { execArgv, env } = options
    super(program, {
      ...options,
      ...(execArgv === undefined ? {} : { execArgv: [...requireThis, ...execArgv] }),
      ...(typeof env === "object" && env !== null ? { env: { ...env, NODE_OPTIONS: withThis(env["NODE_OPTIONS"]) } } : {}),
    })
  }
}
Object.assign(workerThreads, { Worker })
// Child processes inherit it.
const { env } = process
env["NODE_OPTIONS"] = withThis(env["NODE_OPTIONS"])
syncBuiltinESMExports()
