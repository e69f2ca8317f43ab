/** `SQLTagStore`: a cache of statements that is keyed by template literal and drops the least recently used statement. */

import { invalidArgumentType, invalidArgumentValue, invalidState } from "./errors.js"
import { ownGetters, publishInternal } from "./public-class.js"
import { parametersOf, type Statement, type StatementResultingChanges } from "./statement.js"
import type { SQLInputValue, SQLOutputValue } from "./values.js"

export class TagStore<Database extends { readonly isOpen: boolean }> {
  readonly #database: Database
  readonly #prepare: (sql: string) => Statement
  readonly #capacity: number
  /** In order of use: the most recently used statement is last. */
  readonly #statements = new Map<string, Statement>()

  /** @internal */
  constructor(database: Database, prepare: (sql: string) => Statement, capacity: number) {
    this.#database = database
    this.#prepare = prepare
    this.#capacity = capacity
    ownGetters(this, TagStore.prototype, ["capacity", "db", "size"])
  }

  all(strings: TemplateStringsArray, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.#statement(strings, values.length).all(...values)
  }

  get(strings: TemplateStringsArray, ...values: SQLInputValue[]): Record<string, SQLOutputValue> | undefined {
    return this.#statement(strings, values.length).get(...values)
  }

  iterate(strings: TemplateStringsArray, ...values: SQLInputValue[]): NodeJS.Iterator<Record<string, SQLOutputValue>> {
    return this.#statement(strings, values.length).iterate(...values)
  }

  run(strings: TemplateStringsArray, ...values: SQLInputValue[]): StatementResultingChanges {
    return this.#statement(strings, values.length).run(...values)
  }

  clear(): void {
    this.#statements.clear()
  }

  get size(): number {
    return this.#statements.size
  }

  get capacity(): number {
    return this.#capacity
  }

  get db(): Database {
    return this.#database
  }

  #statement(strings: unknown, count: number): Statement {
    if (!this.#database.isOpen) throw invalidState("database is not open")
    if (!Array.isArray(strings)) {
      throw invalidArgumentType("First argument must be an array of strings (template literal).")
    }
    let sql = ""
    strings.forEach((part: unknown, index) => {
      if (typeof part !== "string") throw invalidArgumentType("Template literal parts must be strings.")
      sql += index < count ? `${part}?` : part
    })
    let statement = this.#statements.get(sql)
    this.#statements.delete(sql)
    if (statement === undefined || parametersOf(statement) === undefined) statement = this.#prepare(sql)
    const parameters = parametersOf(statement)
    if (parameters?.count !== Math.min(count, strings.length) || parameters.names.size > 0) {
      throw invalidArgumentValue("SQLite parameters must be bound using template literal placeholders.")
    }
    this.#statements.set(sql, statement)
    const [oldest] = this.#statements.keys()
    if (oldest !== undefined && this.#statements.size > this.#capacity) this.#statements.delete(oldest)
    return statement
  }
}

publishInternal(TagStore, "SQLTagStore", Reflect.ownKeys(TagStore.prototype))
