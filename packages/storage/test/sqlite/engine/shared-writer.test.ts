/** One of the processes that serve a file writes for all of them. No acknowledged write is lost when that process exits. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync, symlinkSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import {
  AccountNameTaken,
  CredentialRepository,
  OrderRepository,
  type PetFreshness,
  PetRepository,
  StorageUnavailable,
  type ValidNewPet,
} from "@petstore/core"
import { Cause, Context, Effect, Either, Exit, Fiber, Layer, Option, Scope } from "effect"
import { describe, expect } from "vitest"
import { newClaim } from "../../../../core/src/testing/insert-once-promises.js"
import { onFrame, sendFrame } from "../../../src/sqlite/engine/frames.js"
import { greetingOf } from "../../../src/sqlite/engine/shared-writer.js"
import { fileBehind } from "../../../src/sqlite/engine/store-file.js"
import { lockStore } from "../../../src/sqlite/engine/store-lock.js"
import { schemaVersion } from "../../../src/sqlite/migrations.js"
import { sqliteStorage } from "../../../src/sqlite/storage.js"
import { petFreshness } from "../../pet-freshness.js"
import { observedSqlite, pragma, withFile } from "../../sqlite-file.js"

const pet = (name: string): ValidNewPet => ({ name, categoryId: 2n ** 60n + 1n, status: "available" })

/** A service process, as seen from its store. */
interface Sibling {
  readonly pets: Context.Tag.Service<PetRepository>
  readonly revision: Context.Tag.Service<PetFreshness>["revision"]
  readonly orders: Context.Tag.Service<OrderRepository>
  readonly credentials: Context.Tag.Service<CredentialRepository>
  /** The number of rows that this process's own connection has written: one or more for each write. */
  readonly written: () => number
}

/** @param hasReaders whether the process serves clients, which a command does not */
const openSibling = (path: string, hasReaders = true): Effect.Effect<Sibling, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { Sqlite, opened } = observedSqlite()
    const context = yield* Layer.build(sqliteStorage(Sqlite, path, { migrate: true, hasReaders, hasSiblings: true }))
    const changes = (connection: DatabaseSync | undefined) =>
      Number(Object.values(connection?.prepare("SELECT total_changes()").get() ?? {})[0])
    const afterOpening = changes(opened[0])
    expect(pragma(opened[0], "journal_mode")).toBe("wal")
    return {
      pets: Context.get(context, PetRepository),
      revision: (yield* Effect.provide(petFreshness, context)).revision,
      orders: Context.get(context, OrderRepository),
      credentials: Context.get(context, CredentialRepository),
      written: () => changes(opened[0]) - afterOpening,
    }
  })

/** Waits until a sibling writes through another sibling. Returns the pets that were stored in the meantime. */
const untilWrittenElsewhere = ({ pets, written }: Sibling) =>
  Effect.gen(function* () {
    const kept: Array<string> = []
    for (;;) {
      const before = written()
      kept.push((yield* pets.insert(pet("joining"))).name)
      if (written() === before) return kept
      yield* Effect.sleep(10)
    }
  })

const namesIn = ({ pets }: Sibling) =>
  Effect.map(pets.list({ status: Option.none(), after: Option.none(), limit: 100_000 }), (all) => all.map(({ name }) => name))

const greeting = greetingOf(schemaVersion)

/** A separate service process that uses the built package and keeps the store open. */
const program = `
  import { DatabaseSync } from "node:sqlite"
  import { Effect, Layer } from "effect"
  const { sqliteStorage } = await import("./dist/sqlite/storage.js")
  const store = sqliteStorage(DatabaseSync, process.argv[1], { migrate: true, hasReaders: true, hasSiblings: true })
  const open = Effect.zipRight(Layer.build(store), Effect.sync(() => process.stdout.write("open")))
  setInterval(() => {}, 1000)
  await Effect.runPromise(Effect.scoped(Effect.zipRight(open, Effect.never)))
`

const siblingProcess = (path: string): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program, path]
      const child = spawn(process.execPath, args, {
        cwd: join(import.meta.dirname, "../../.."),
        stdio: ["ignore", "pipe", "inherit"],
      })
      const ended = once(child, "exit").then(() =>
        Promise.reject(new Error("the other process exited before it had opened the store")),
      )
      await Promise.race([once(child.stdout, "data"), ended])
      ended.catch(() => {})
      return child
    }),
    (child) => Effect.promise(() => killed(child)),
  )

const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** Listens in place of the writer, and sends a message to every client or closes every connection. */
const otherListener = (name: string, answer: string | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((socket: Socket) => (answer === undefined ? socket.destroy() : sendFrame(socket, answer)))
      server.listen(name)
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close()),
  )

describe("siblings on one file", () => {
  withFile("do not acknowledge writes if their own path no longer leads to the file", (path) =>
    Effect.gen(function* () {
      const link = `${path}-link`
      yield* openSibling(path)
      symlinkSync(path, link)
      const other = yield* openSibling(link)
      yield* untilWrittenElsewhere(other)
      rmSync(link)
      expect(yield* Effect.flip(other.pets.insert(pet("elsewhere")))).toMatchObject({
        message: expect.stringContaining("removed or replaced"),
      })
    }),
  )

  withFile("send their writes to one of them, and receive exact values and an outcome for each write", (path) =>
    Effect.gen(function* () {
      const [writer, other] = [yield* openSibling(path), yield* openSibling(path)]
      yield* untilWrittenElsewhere(other)
      const before = other.written()

      const kept = yield* other.pets.insert(pet("Bello"))
      expect(kept).toStrictEqual({ id: kept.id, ...pet("Bello") })
      expect(yield* writer.pets.find(kept.id)).toStrictEqual(Option.some(kept))
      expect(yield* other.pets.find(kept.id)).toStrictEqual(Option.some(kept))

      const claim = newClaim()
      const once = yield* other.pets.insertOnce(pet("once"), claim)
      expect(yield* writer.pets.insertOnce(pet("once"), claim)).toStrictEqual({ ...once, isNew: false })

      const account = { id: "acc_1", name: "shop", createdAt: new Date(1) }
      yield* other.credentials.insertAccount(account)
      expect(yield* Effect.flip(other.credentials.insertAccount(account))).toBeInstanceOf(AccountNameTaken)
      expect(yield* writer.credentials.findAccount("shop")).toStrictEqual(Option.some(account))

      const placedAt = new Date(1_234_567)
      const order = yield* other.orders.insert(kept.id, placedAt)
      expect(order).toMatchObject({ petId: kept.id, status: "placed", createdAt: placedAt })

      const [beside, tooLarge] = yield* Effect.all(
        [other.pets.insert(pet("beside")), Effect.exit(other.pets.insert({ ...pet("too large"), categoryId: 2n ** 63n }))],
        { concurrency: "unbounded" },
      )
      expect(beside.name).toBe("beside")
      expect(Exit.isFailure(tooLarge) && Cause.pretty(tooLarge.cause)).toContain("BigInt")
      expect(other.written()).toBe(before)
    }),
  )

  withFile("see each other's writes immediately", (path) =>
    Effect.gen(function* () {
      const [writer, other] = [yield* openSibling(path), yield* openSibling(path)]
      yield* untilWrittenElsewhere(other)
      for (const [one, another] of [
        [writer, other],
        [other, writer],
      ] as const) {
        const insertions = () => Option.getOrThrow(another.revision()).insertions
        const before = insertions()
        yield* one.pets.insert(pet("Bello"))
        expect(insertions()).toBeGreaterThan(before)
      }
    }),
  )

  withFile("receive the outcomes of one commit in one message", (path) =>
    Effect.gen(function* () {
      yield* openSibling(path)
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => connect(`${path}-writer`)),
        (opened) => Effect.sync(() => opened.destroy()),
      )
      const calls = [{ name: "insertPet", args: [pet("Bello")] }]
      const replies = yield* Effect.promise(
        () =>
          new Promise((resolve) => {
            onFrame(socket, (value) => {
              if (value !== greeting) return resolve(value)
              // The requests arrive in one packet, and therefore in one tick.
              socket.cork()
              for (const number of [1, 2]) sendFrame(socket, { number, calls })
              socket.uncork()
            })
            sendFrame(socket, greeting)
          }),
      )
      expect(replies).toMatchObject([
        { number: 1, outcomes: [{ value: 1n }] },
        { number: 2, outcomes: [{ value: 2n }] },
      ])
    }),
  )

  withFile("write for a command from the command's first write on, but never through a command", (path) =>
    Effect.gen(function* () {
      const early = yield* openSibling(path, false)
      yield* early.pets.insert(pet("early"))
      expect(early.written()).toBeGreaterThan(0)
      const service = yield* openSibling(path)
      const command = yield* openSibling(path, false)
      yield* command.pets.insert(pet("command"))
      expect(command.written()).toBe(0)
      expect(service.written()).toBeGreaterThan(0)
      expect(yield* namesIn(service)).toStrictEqual(["early", "command"])
    }),
  )

  withFile("lose no write when the writer exits, and choose another writer", (path) =>
    Effect.gen(function* () {
      const ofWriter = yield* Scope.make()
      yield* Scope.extend(openSibling(path), ofWriter)
      const others = [yield* openSibling(path), yield* openSibling(path)] as const
      yield* Effect.forEach(others, untilWrittenElsewhere)
      const insertMany = ({ pets }: Sibling) =>
        Effect.forEach(Array.from({ length: 200 }), () => Effect.zipLeft(pets.insert(pet("kept")), Effect.yieldNow()))
      const inserting = yield* Effect.fork(Effect.forEach(others, insertMany, { concurrency: "unbounded" }))
      yield* Effect.yieldNow()
      yield* Scope.close(ofWriter, Exit.void)
      yield* Fiber.join(inserting)
      expect((yield* namesIn(others[0])).filter((name) => name === "kept")).toHaveLength(400)
      // The new writer also writes for the other process.
      const [one, two] = others
      const before = [one.written(), two.written()]
      for (let tries = 0; tries < 100 && (one.written() !== before[0]) === (two.written() !== before[1]); tries += 1) {
        before.splice(0, 2, one.written(), two.written())
        yield* Effect.forEach(others, ({ pets }) => pets.insert(pet("after")))
        yield* Effect.sleep(10)
      }
      expect([one.written() !== before[0], two.written() !== before[1]].toSorted()).toStrictEqual([false, true])
    }),
  )

  withFile("do not lose acknowledged writes when the writer is killed", (path) =>
    Effect.gen(function* () {
      const writer = yield* siblingProcess(path)
      const other = yield* openSibling(path)
      yield* untilWrittenElsewhere(other)
      const kill = Effect.promise(() => killed(writer))
      const insert = (index: number) => Effect.either(other.pets.insert(pet(`${index}`)))
      const attempts = Effect.forEach(
        Array.from({ length: 300 }, (_, index) => index),
        insert,
        { concurrency: 8 },
      )
      const [results] = yield* Effect.all([attempts, kill], { concurrency: "unbounded" })
      const acknowledged = results.flatMap((result) => (Either.isRight(result) ? [result.right.name] : []))
      const failures = results.flatMap((result) => (Either.isLeft(result) ? [result.left] : []))
      expect(failures.every((failure) => failure instanceof StorageUnavailable)).toBe(true)
      // Only the eight pending writes can fail.
      expect(failures.length).toBeLessThanOrEqual(8)
      const names = yield* namesIn(other)
      expect(acknowledged.filter((name) => names.filter((one) => one === name).length !== 1)).toStrictEqual([])
    }),
  )

  for (const [what, answer] of [
    ["belongs to another release", "something else"],
    ["closes every connection", undefined],
  ] as const) {
    withFile(`write for themselves if the writer ${what}`, (path) =>
      Effect.gen(function* () {
        const first = yield* Scope.make()
        yield* Scope.extend(openSibling(path), first)
        yield* Scope.close(first, Exit.void)
        yield* Effect.acquireRelease(
          Effect.sync(() => lockStore(fileBehind(path), "writer", 0)),
          ({ release }) => Effect.sync(release),
        )
        yield* otherListener(`${path}-writer`, answer)
        const [one, other] = [yield* openSibling(path), yield* openSibling(path)]
        for (const { pets } of [one, other, one, other]) yield* pets.insert(pet("Bello"))
        expect(one.written()).toBeGreaterThanOrEqual(2)
        expect(other.written()).toBe(one.written())
        expect(yield* namesIn(one)).toHaveLength(4)
      }),
    )
  }

  withFile("write for themselves if the file's name is too long for a socket", (path) =>
    Effect.gen(function* () {
      const deep = join(dirname(path), "x".repeat(120), "petstore.db")
      const [one, other] = [yield* openSibling(deep), yield* openSibling(deep)]
      for (const { pets } of [one, other]) yield* pets.insert(pet("Bello"))
      expect(one.written()).toBeGreaterThanOrEqual(1)
      expect(other.written()).toBe(one.written())
    }),
  )
})
