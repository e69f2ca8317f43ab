/** A seed's scenario: concurrent conversations with the service, sometimes with a signal in the middle. */
import fc from "fast-check"
import { weighted } from "../pets.ts"
import { broken, last, orderly, type Sent } from "./message.ts"

/** How a client finishes: it closes after its responses, half-closes and reads on, stalls, or disconnects without reading. */
type Ending =
  | { readonly kind: "when answered" | "half-close" | "stall" }
  | { readonly kind: "close" | "reset"; readonly afterMillis: number }

export interface Conversation {
  /** When the conversation begins, in ms after the start of the scenario. */
  readonly opensAfterMillis: number
  readonly messages: ReadonlyArray<Sent>
  /** The fraction of the bytes that is sent. 1 means all of them. */
  readonly share: number
  /** The positions at which the bytes are cut, as fractions of their length, and the pauses at these positions. */
  readonly cuts: ReadonlyArray<{ readonly at: number; readonly pauseMillis: number }>
  readonly readsAfterMillis: number
  readonly readingPauseMillis: number
  readonly ending: Ending
}

export interface Signal {
  readonly name: "SIGTERM"
  /** When the signal is sent, in ms after the start of the scenario. */
  readonly afterMillis: number
}

export interface Scenario {
  readonly conversations: ReadonlyArray<Conversation>
  readonly signal?: Signal
}

// Safe: the tables are literals, so they have no other keys.
const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>) => Object.keys(table) as Array<Name>

/** Bytes that may be the start or end of a message, or meaningless. */
const noise: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc
    .constantFrom(
      "x",
      "}",
      "\r\n",
      "\n",
      "\0",
      "GET ",
      "POST /v1/pets HTTP/1.1\r\nHost: a\r\n",
      "POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n",
      "POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      "x".repeat(20_000),
    )
    .map((letters) => Uint8Array.from(Buffer.from(letters, "latin1"))),
  fc.uint8Array({ minLength: 1, maxLength: 20 }),
)

const orderlyMessage: fc.Arbitrary<Sent> = weighted(
  [2, fc.constantFrom(...namesOf(orderly))],
  [1, fc.constantFrom<Sent>("create")],
)
const lastMessage: fc.Arbitrary<Sent> = fc.constantFrom(...namesOf(last))
const brokenMessage: fc.Arbitrary<Sent> = weighted(
  [4, fc.constantFrom(...namesOf(broken))],
  [1, fc.constantFrom<Sent>("CONNECT")],
)

const message: fc.Arbitrary<Sent> = weighted([24, orderlyMessage], [2, lastMessage], [3, brokenMessage], [1, noise])

const messages: fc.Arbitrary<ReadonlyArray<Sent>> = weighted(
  [12, fc.array(message, { minLength: 1, maxLength: 12, size: "max" })],
  // More responses or bytes than the service is allowed to buffer for one connection.
  [1, fc.array(orderlyMessage, { minLength: 30, maxLength: 120, size: "max" })],
  [1, fc.array(fc.constantFrom<Sent>("a page of 100"), { minLength: 20, maxLength: 90, size: "max" })],
)

const share = fc.double({ min: 0, max: 1, noNaN: true })

const brief = (longest: number): fc.Arbitrary<number> => weighted([3, fc.constant(0)], [1, fc.integer({ min: 0, max: longest })])

const cut = fc.record({ at: share, pauseMillis: brief(8) })

const ending: fc.Arbitrary<Ending> = weighted(
  [5, fc.constantFrom<Ending>({ kind: "when answered" }, { kind: "half-close" })],
  [2, fc.record({ kind: fc.constantFrom("close" as const, "reset" as const), afterMillis: brief(6) })],
)

/** Conversations with these messages. Each begins within this many milliseconds. */
const conversation = (content: fc.Arbitrary<ReadonlyArray<Sent>>, withinMillis: number): fc.Arbitrary<Conversation> =>
  fc
    .record({
      opensAfterMillis: fc.integer({ min: 0, max: withinMillis }),
      messages: content,
      share: weighted([4, fc.constant(1)], [1, share]),
      cuts: fc.array(cut, { maxLength: 4 }),
      readsAfterMillis: brief(20),
      readingPauseMillis: brief(2),
      ending,
    })
    // The service waits for the rest of an incomplete request, so the client must not wait for a response.
    .map((drawn) =>
      drawn.share < 1 && drawn.ending.kind === "when answered" ? { ...drawn, ending: { kind: "half-close" } } : drawn,
    )

/** A client that requests more than the connection's buffers can hold, and does not read. */
const stalling: fc.Arbitrary<Conversation> = conversation(
  fc.array(fc.constantFrom<Sent>("a page of 100", "create"), { minLength: 150, maxLength: 250, size: "max" }),
  2,
).map((drawn) => ({ ...drawn, share: 1, ending: { kind: "stall" } }))

export const calm: fc.Arbitrary<Scenario> = fc.record({
  conversations: fc.array(weighted([400, conversation(messages, 2)], [1, stalling]), {
    minLength: 1,
    maxLength: 3,
    size: "max",
  }),
})

/** Mostly requests that must get a response even during a signal. */
const busyMessages = weighted([3, fc.array(orderlyMessage, { minLength: 1, maxLength: 24, size: "max" })], [1, messages])

const disturbed = (name: Signal["name"], withinMillis: number, most: number): fc.Arbitrary<Scenario> =>
  fc.record({
    conversations: fc.array(conversation(busyMessages, withinMillis), { minLength: most / 2, maxLength: most, size: "max" }),
    signal: fc.record({ name: fc.constant(name), afterMillis: fc.integer({ min: 0, max: Math.min(withinMillis, 60) }) }),
  })

export const stopping = disturbed("SIGTERM", 40, 40)
