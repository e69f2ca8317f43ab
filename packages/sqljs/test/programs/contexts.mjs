/**
 * Prints, for every context in which a program can load `node:sqlite`, whose `DatabaseSync` it gets: "substitute" or "native".
 * This is plain JavaScript, because it runs where the package is installed, not where it is built.
 */
import { execFileSync, fork, spawnSync } from "node:child_process"
import cluster from "node:cluster"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sqlite, { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { constants, createContext, runInContext, runInNewContext, runInThisContext } from "node:vm"
import { Worker } from "node:worker_threads"

// The methods of a native class show no source.
const from = (module) => (String(module.DatabaseSync.prototype.exec).includes("[native code]") ? "native" : "substitute")
const judge = String(from)
const folder = mkdtempSync(join(tmpdir(), "contexts-"))
const file = (name, text) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const post = 'require("node:worker_threads").parentPort.postMessage'
const esm = `import * as module from "node:sqlite"; import { parentPort } from "node:worker_threads"; parentPort.postMessage((${judge})(module))`
const cjs = `${post}((${judge})(require("node:sqlite")))`
const dynamic = `import("node:sqlite").then((module) => ${post}((${judge})(module)))`
const builtin = `${post}((${judge})(process.getBuiltinModule("node:sqlite")))`
const printed = `console.log((${judge})(require("node:sqlite")))`

const inWorker = (program, options) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(program, options)
    worker.once("message", resolve)
    worker.once("error", reject)
  })
const text = { eval: true }
const nested = (options) =>
  `const { parentPort, Worker } = require("node:worker_threads")
  new Worker(${JSON.stringify(cjs)}, ${JSON.stringify(options)}).once("message", (answer) => parentPort.postMessage(answer))`
const loader = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
const moduleOf = (child) => new Promise((resolve) => child.once("message", resolve))
const sent = file("sent.mjs", `import * as module from "node:sqlite"; process.send((${judge})(module)); process.disconnect()`)

const contexts = {
  import: () => from({ DatabaseSync }),
  "import of the default": () => from(sqlite),
  "import()": async () => from(await import("node:sqlite")),
  require: () => from(createRequire(import.meta.url)("node:sqlite")),
  "process.getBuiltinModule": () => from(process.getBuiltinModule("node:sqlite")),
  "a module from a data: URL": async () =>
    from(await import(`data:text/javascript,${encodeURIComponent('export * from "node:sqlite"')}`)),
  "vm, this context": async () => from(await runInThisContext('import("node:sqlite")', loader)),
  "vm, a new context": async () => from(await runInNewContext('import("node:sqlite")', {}, loader)),
  "vm, a given require": () =>
    runInContext(`(${judge})(require("node:sqlite"))`, createContext({ require: createRequire(import.meta.url) })),
  "a worker from text, require": () => inWorker(cjs, text),
  "a worker from text, import()": () => inWorker(dynamic, text),
  "a worker from text, import": () => inWorker(esm, text),
  "a worker from text, process.getBuiltinModule": () => inWorker(builtin, text),
  "a worker from text, without arguments": () => inWorker(cjs, { ...text, execArgv: [] }),
  "a worker from text, without variables": () => inWorker(cjs, { ...text, env: {} }),
  "a worker from text, without either": () => inWorker(cjs, { ...text, execArgv: [], env: {} }),
  "a worker from text in a worker": () => inWorker(nested(text), text),
  "a worker without either in a worker without either": () =>
    inWorker(nested({ ...text, execArgv: [], env: {} }), { ...text, execArgv: [], env: {} }),
  "a worker from an ES module": () => inWorker(pathToFileURL(file("worker.mjs", esm))),
  "a worker from a CommonJS file": () => inWorker(file("worker.cjs", cjs)),
  "a worker from a file, without either": () => inWorker(file("worker.cjs", cjs), { execArgv: [], env: {} }),
  "a worker from a data: URL": () => inWorker(new URL(`data:text/javascript,${encodeURIComponent(esm)}`)),
  fork: () => moduleOf(fork(sent)),
  "a cluster's worker": () => {
    cluster.setupPrimary({ exec: sent })
    return moduleOf(cluster.fork())
  },
  spawn: () => spawnSync(process.execPath, ["-e", printed], { encoding: "utf8" }).stdout.trim(),
  "execFile in another folder": () =>
    execFileSync(process.execPath, ["-e", printed], { cwd: "/", encoding: "utf8", stdio: "pipe" }).trim(),
  "a worker in a child": () =>
    spawnSync(
      process.execPath,
      [
        file(
          "parent.cjs",
          `const { Worker } = require("node:worker_threads")
      new Worker(${JSON.stringify(cjs)}, { eval: true }).once("message", (answer) => console.log(answer))`,
        ),
      ],
      {
        encoding: "utf8",
      },
    ).stdout.trim(),
  "a child without variables": () => spawnSync(process.execPath, ["-e", printed], { env: {}, encoding: "utf8" }).stdout.trim(),
}

const answers = {}
for (const [name, load] of Object.entries(contexts)) answers[name] = await load()
process.stdout.write(JSON.stringify(answers))
