/** Compares the members and options of this package with those of `node:sqlite` by reflection, so that a new one is noticed. */
import * as native from "node:sqlite"
import { expect, it } from "vitest"
import * as ours from "../src/index.js"
import { temporaryFolder } from "./temporary-folder.js"

// The tests use only what both modules have in @types/node 24; the new members are compared by name.
const nativeEngine = native as unknown as typeof ours
const engines = [ours, nativeEngine] as const

/** The members of `theirs` that `mine` lacks. */
const missing = (mine: readonly PropertyKey[], theirs: readonly PropertyKey[]) => theirs.filter((name) => !mine.includes(name))

/** The own names of every object that a program can reach, by where it is. */
const members = (engine: typeof ours): Record<string, PropertyKey[]> => {
  const database = new engine.DatabaseSync(":memory:")
  const statement = database.prepare("SELECT 1 AS one")
  const reached = {
    module: engine,
    DatabaseSync: engine.DatabaseSync,
    "DatabaseSync.prototype": engine.DatabaseSync.prototype,
    database,
    limits: database.limits,
    StatementSync: engine.StatementSync,
    "StatementSync.prototype": engine.StatementSync.prototype,
    statement,
    column: statement.columns()[0] ?? {},
    iterator: Object.getPrototypeOf(statement.iterate()),
    changes: statement.run(),
    Session: engine.Session,
    "Session.prototype": engine.Session.prototype,
    session: database.createSession(),
    tagStore: Object.getPrototypeOf(database.createTagStore()),
  }
  return Object.fromEntries(Object.entries(reached).map(([name, object]) => [name, Reflect.ownKeys(object)]))
}

/** The names of the options that each function reads. */
const optionsRead = async (engine: typeof ours): Promise<Record<string, PropertyKey[]>> => {
  const read: Record<string, PropertyKey[]> = {}
  const noting = <T extends object>(name: string, options: T): T =>
    new Proxy(options, {
      get: (target, key, receiver) => {
        read[name] = [...(read[name] ?? []), key]
        return Reflect.get(target, key, receiver)
      },
    })
  const database = new engine.DatabaseSync(":memory:", noting("open", {}))
  database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY)")
  database.prepare("SELECT 1", noting("prepare", {}))
  database.function("one", noting("function", {}), () => 1)
  database.aggregate("two", noting("aggregate", { start: 0, step: () => 0 }))
  const session = database.createSession(noting("createSession", { table: "t" }))
  database.exec("INSERT INTO t VALUES (1)")
  database.applyChangeset(session.changeset(), noting("applyChangeset", { onConflict: () => 0 }))
  await engine.backup(database, temporaryFolder()("copy.db"), noting("backup", {}))
  database.deserialize(database.serialize(), noting("deserialize", {}))
  return read
}

it("has every member of node:sqlite", () => {
  const [mine, theirs] = engines.map(members)
  expect(Object.keys(theirs ?? {}).length).toBeGreaterThan(10)
  for (const [name, keys] of Object.entries(theirs ?? {})) expect(missing(mine?.[name] ?? [], keys), name).toEqual([])
})

it("reads every option that node:sqlite reads", async () => {
  const [mine, theirs] = await Promise.all(engines.map(optionsRead))
  expect(Object.keys(theirs ?? {})).toContain("backup")
  for (const [name, keys] of Object.entries(theirs ?? {})) expect(missing(mine?.[name] ?? [], keys), name).toEqual([])
})

it("has the constants of node:sqlite", () => {
  expect(ours.constants).toEqual(native.constants)
})

it("has the default export of node:sqlite", () => {
  const theirs: object = Reflect.get(native, "default")
  expect(Object.keys(ours.default).toSorted()).toEqual(Object.keys(theirs).toSorted())
  for (const [name, value] of Object.entries(ours.default)) expect(value, name).toBe(Reflect.get(ours, name))
})
