/** Records the requests that create pets, or orders, and their acknowledgements. What a list shows never changes these records. */

/** A pet or order that a client requested, whatever the outcome. */
export interface Intent<Given> {
  readonly given: Given
  /** With an idempotency key, all requests together create one row. Without a key, each request may create one. */
  readonly idempotencyKey: string | undefined
  /** The number of requests that were sent completely. Incomplete ones must not create anything. */
  sent: number
  /** The number of requests with an unknown outcome. */
  unknown: number
  /** The ids in the 201 responses to these requests. */
  readonly acknowledged: Set<bigint>
}

export interface Known<Given, Row> {
  readonly intent: Intent<Given>
  /** The row in the 201 response. */
  readonly first: Row
  shown: Row
}

/** The maximum number of rows that an intent may have created. */
export const mostOf = ({ idempotencyKey, acknowledged, unknown }: Intent<unknown>): number =>
  Math.min(acknowledged.size + unknown, idempotencyKey === undefined ? Number.POSITIVE_INFINITY : 1)

export class Creations<Given, Row extends { readonly id: bigint }> {
  readonly #problem: (text: string) => void
  readonly #byId = new Map<bigint, Known<Given, Row>>()
  readonly intents: Array<Intent<Given>> = []
  /** The acknowledged rows, in the order of acknowledgement. */
  readonly known: Array<Known<Given, Row>> = []
  readonly show: (given: Given) => string
  readonly describe: (row: Row) => string
  /** How many times one id was acknowledged for two intents, or a second id for one idempotency key. */
  idsGivenTwice = 0

  constructor(problem: (text: string) => void, show: (given: Given) => string, describe: (row: Row) => string) {
    this.#problem = problem
    this.show = show
    this.describe = describe
  }

  intend(given: Given, idempotencyKey: string | undefined): Intent<Given> {
    const intent = { given, idempotencyKey, sent: 0, unknown: 0, acknowledged: new Set<bigint>() }
    this.intents.push(intent)
    return intent
  }

  sending(intent: Intent<Given>): void {
    intent.sent += 1
    intent.unknown += 1
  }

  acknowledge(intent: Intent<Given>, row: Row): void {
    const { idempotencyKey, acknowledged, given } = intent
    intent.unknown -= 1
    const known = this.#byId.get(row.id)
    const isSecondOfKey = idempotencyKey !== undefined && acknowledged.size > 0 && !acknowledged.has(row.id)
    const isTaken = known !== undefined && (known.intent !== intent || idempotencyKey === undefined)
    if (isSecondOfKey) this.#problem(`the idempotency key of ${this.show(given)} created a second row, ${row.id}`)
    if (isTaken) this.#problem(`id ${row.id} was assigned to ${this.show(known.intent.given)} and again to ${this.show(given)}`)
    if (isSecondOfKey || isTaken) this.idsGivenTwice += 1
    else if (known !== undefined && this.describe(known.first) !== this.describe(row)) {
      this.#problem(`${this.show(given)} got the response ${this.describe(known.first)} and then ${this.describe(row)}`)
    }
    acknowledged.add(row.id)
    if (known !== undefined) return
    const added = { intent, first: row, shown: row }
    this.known.push(added)
    this.#byId.set(row.id, added)
  }

  knownOf(id: bigint): Known<Given, Row> | undefined {
    return this.#byId.get(id)
  }

  get(id: bigint): Known<Given, Row> {
    const known = this.#byId.get(id)
    if (known === undefined) throw new Error(`${id} was never acknowledged`)
    return known
  }
}
