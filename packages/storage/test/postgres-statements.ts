/**
 * Checks in the server's log that the PostgreSQL adapter sent only statements that other engines and poolers support while the
 * contract suites ran. Statement names and `DISCARD PLANS` are sent only without a pooler: see `connection.test.ts`.
 */
import { statementsOf } from "@petstore/test/postgres"
import { beforeAll, describe, expect, it } from "vitest"
import { postgresDefaults } from "../src/postgres/engine/options.js"
import { contractDatabase } from "./postgres-store.js"

/** Forbidden statements, each with an example that the pattern matches. */
const forbidden: Readonly<Record<string, { readonly pattern: RegExp; readonly example: string }>> = {
  "LISTEN or NOTIFY": { pattern: /\b(?:UN)?LISTEN\b|\bNOTIFY\b|pg_notify/i, example: "statement: LISTEN keys" },
  "an advisory lock": { pattern: /advisory/i, example: "statement: SELECT pg_advisory_lock(1)" },
  "a trigger, a function or a rule": {
    pattern: /\b(?:TRIGGER|FUNCTION|PROCEDURE|RULE)\b|\bDO \$/i,
    example: "statement: CREATE TRIGGER t BEFORE INSERT ON pets",
  },
  "a savepoint": { pattern: /\bSAVEPOINT\b/i, example: "statement: SAVEPOINT one" },
  "a custom type": { pattern: /\bCREATE (?:TYPE|DOMAIN|EXTENSION)\b/i, example: "statement: CREATE TYPE s AS ENUM ('sold')" },
  OFFSET: { pattern: /\bOFFSET\b/i, example: "execute <unnamed>: SELECT 1 OFFSET $1" },
  // Only an operator's recount and a migration may count rows, and they count by group.
  "COUNT(*)": {
    pattern: /\bcount\s*\((?![\s\S]*GROUP BY (?:status$|1\)))/i,
    example: "execute <unnamed>: SELECT count(*) FROM pets",
  },
  "a sequence other than a table's own": {
    pattern: /\b(?:currval|setval|lastval|SEQUENCE)\b|\bnextval\((?!\(SELECT pg_get_serial_sequence)/i,
    example: "statement: SELECT nextval('s')",
  },
  "an explicit lock": {
    pattern: /\bFOR (?:NO KEY )?(?:UPDATE|SHARE)\b|\bLOCK TABLE\b/i,
    example: "statement: SELECT 1 FROM pets FOR UPDATE",
  },
  "session state": {
    // SET LOCAL is allowed, because its effect ends with the transaction.
    pattern: /^(?:execute [^:]+|statement): (?:SET(?! LOCAL\b)|RESET|PREPARE|DECLARE|DISCARD(?! PLANS$))\b|\bTEMP(?:ORARY)?\b/i,
    example: "statement: SET search_path = petstore",
  },
  "a foreign key": { pattern: /\bREFERENCES\b/i, example: "statement: CREATE TABLE t (id int8 REFERENCES pets)" },
  "a semicolon between statements": { pattern: /;\s*\S/, example: "statement: SELECT 1; SELECT 2" },
}

/** Transaction statements. Only imports may use them. */
const transaction = /^(?:execute [^:]+|statement): (?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT)\b/i

export const onlyPortableStatements = (): void => {
  describe("while the suites ran, PostgreSQL received", () => {
    let statements: ReadonlyArray<string> = []

    beforeAll(async () => {
      statements = await statementsOf(await contractDatabase(), postgresDefaults.applicationName)
    })

    it("statements of several kinds from the adapter", () => {
      for (const text of [
        "INSERT INTO pets",
        "FROM pets WHERE (status, id)",
        "CREATE TABLE",
        "UPDATE api_keys",
        "deprecated_calls",
        "webhook_deliveries",
        "BEGIN",
      ]) {
        expect(statements.filter((statement) => statement.includes(text)).length, text).toBeGreaterThan(0)
      }
    })

    for (const [what, { pattern, example }] of Object.entries(forbidden)) {
      it(`nothing that uses ${what}`, () => {
        expect(example).toMatch(pattern)
        expect(statements.filter((statement) => pattern.test(statement))).toStrictEqual([])
      })
    }

    it("multi-statement transactions only from imports", () => {
      const found = statements.filter((statement) => transaction.test(statement))
      expect(new Set(found)).toStrictEqual(new Set(["statement: BEGIN", "statement: COMMIT"]))
    })
  })
}
