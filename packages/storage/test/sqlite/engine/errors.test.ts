/** Tests how SQLite's error codes are classified. An unavailable database is a failure; a bug is a defect. */
import { writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StorageUnavailable } from "@petstore/core"
import { Cause, Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { explain, failWith, faultOf } from "../../../src/sqlite/engine/errors.js"
import { failsWith, onNewFile, withFile } from "../../sqlite-file.js"

const kindOf = (thrown: unknown): string =>
  Exit.match(failWith(faultOf(thrown)), {
    onSuccess: () => "success",
    onFailure: (cause) =>
      Cause.isDie(cause)
        ? "defect"
        : cause._tag === "Fail" && cause.error instanceof StorageUnavailable
          ? "unavailable"
          : "another",
  })

const isBusy = (thrown: unknown): boolean => faultOf(thrown).kind === "busy"

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (thrown) {
    return thrown
  }
  return undefined
}

describe("a SQLite error", () => {
  // The result codes from 1 to 26 in https://sqlite.org/rescode.html.
  it.each([
    ["ERROR", 1, "defect"],
    ["INTERNAL", 2, "defect"],
    ["PERM", 3, "unavailable"],
    ["ABORT", 4, "defect"],
    ["BUSY", 5, "unavailable"],
    ["LOCKED", 6, "unavailable"],
    ["NOMEM", 7, "unavailable"],
    ["READONLY", 8, "unavailable"],
    ["INTERRUPT", 9, "unavailable"],
    ["IOERR", 10, "unavailable"],
    ["CORRUPT", 11, "unavailable"],
    ["NOTFOUND", 12, "defect"],
    ["FULL", 13, "unavailable"],
    ["CANTOPEN", 14, "unavailable"],
    ["PROTOCOL", 15, "unavailable"],
    ["SCHEMA", 17, "defect"],
    ["TOOBIG", 18, "defect"],
    ["CONSTRAINT", 19, "defect"],
    ["MISMATCH", 20, "defect"],
    ["MISUSE", 21, "defect"],
    ["NOLFS", 22, "unavailable"],
    ["AUTH", 23, "defect"],
    ["RANGE", 25, "defect"],
    ["NOTADB", 26, "unavailable"],
    ["IOERR_FSYNC", 10 | (4 << 8), "unavailable"],
    ["BUSY_SNAPSHOT", 5 | (2 << 8), "unavailable"],
    ["CONSTRAINT_UNIQUE", 19 | (8 << 8), "defect"],
  ])("%s (%i) is %s", (_name, code, kind) => {
    expect(kindOf(failsWith(code, "SQLite says so"))).toBe(kind)
  })

  it.each([
    undefined,
    null,
    "SQLITE_BUSY",
    5,
    { errcode: 5 },
    new Error("busy"),
    Object.assign(new Error("x"), { errcode: "5" }),
  ])("is not recognized in any other value: case %#", (thrown) => {
    expect(kindOf(thrown)).toBe("defect")
    expect(isBusy(thrown)).toBe(false)
  })

  withFile("is busy if another connection holds the lock, but not if the SQL is wrong", (path) =>
    Effect.sync(() => {
      const [one, other] = [new DatabaseSync(path, { timeout: 0 }), new DatabaseSync(path, { timeout: 0 })]
      one.exec("BEGIN IMMEDIATE")
      const locked = thrownBy(() => other.exec("BEGIN IMMEDIATE"))
      const wrong = thrownBy(() => other.exec("NOT SQL"))
      one.close()
      other.close()
      expect([locked, wrong].map(isBusy)).toStrictEqual([true, false])
      expect([locked, wrong].map(kindOf)).toStrictEqual(["unavailable", "defect"])
    }),
  )
})

describe("the remedy for an error", () => {
  const changing = (path: string, options = {}) => {
    const connection = new DatabaseSync(path, { timeout: 0, ...options })
    try {
      connection.exec("PRAGMA user_version = 1")
    } finally {
      connection.close()
    }
  }

  it.each([
    {
      what: "is locked",
      remedy: (path: string) => `Another program holds its lock: fuser ${path}`,
      provoke: (path: string) => {
        const other = new DatabaseSync(path)
        other.exec("BEGIN IMMEDIATE")
        try {
          changing(path)
        } finally {
          other.close()
        }
      },
    },
    {
      what: "file is not a database",
      remedy: () => "It is damaged or not a store. Restore a backup.",
      provoke: (path: string) => {
        writeFileSync(path, "no database at all, but long enough to be taken for one".repeat(30))
        changing(path)
      },
    },
    {
      what: "attempt to write a readonly database",
      remedy: (path: string) => `This user lacks a permission on the file or its folder: ls -ld ${dirname(path)} ${path}`,
      provoke: (path: string) => {
        changing(path)
        changing(path, { readOnly: true })
      },
    },
    {
      what: "unable to open database file",
      remedy: (path: string) => `This user is not allowed to open the file or its folder: ls -ld ${dirname(path)} ${path}`,
      provoke: (path: string) => changing(dirname(path)),
    },
  ])("is appended to the message $what, along with the file's path", ({ what, remedy, provoke }) =>
    onNewFile((path) =>
      Effect.sync(() => {
        const thrown = thrownBy(() => provoke(path))
        expect(explain(thrown, path)).toMatch(`${what}. ${remedy(path)}`)
      }),
    ),
  )
})

it("a remedy is not appended to an unknown message, which keeps its single full stop", () => {
  expect(explain(new Error("The file is gone. Start it again."), "pets.db")).toBe("The file is gone. Start it again.")
})
