import { readHead, WireResponse } from "@petstore/harness/response"
import { describe, expect, it } from "vitest"
import { checkConversation, checkKept, type End, scriptOf } from "../src/wire/oracle.ts"
import type { Conversation, Signal } from "../src/wire/scenario.ts"

const reasons: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 400: "Bad Request", 404: "Not Found" }

interface Told {
  readonly status: number
  readonly id?: string
  readonly body?: string
  readonly closes?: boolean
  readonly interim?: ReadonlyArray<number>
}

/** A response that conforms to the contract. */
const response = ({ status, id = "own", body = "[]", closes = false, interim = [] }: Told): WireResponse =>
  new WireResponse(
    readHead(
      [
        `HTTP/1.1 ${status} ${reasons[status]}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        `X-Request-Id: ${id}`,
        "Date: Thu, 05 Dec 2030 00:00:00 GMT",
        ...(status === 201 ? ["Location: /v1/pets/7"] : []),
        ...(closes ? ["Connection: close"] : []),
      ].join("\r\n"),
    ),
    interim,
    Buffer.from(body),
  )

const created = (name: string, closes = false): WireResponse =>
  response({ status: 201, id: name, body: JSON.stringify({ id: 7, name, categoryId: 1 }), closes })
const page = (id: string): WireResponse => response({ status: 200, id })
const refusal: WireResponse = response({
  status: 400,
  closes: true,
  body: JSON.stringify({ code: "malformed_request", message: "It is malformed.", status: 400 }),
})

const asSent: Omit<Conversation, "messages"> = {
  opensAfterMillis: 0,
  share: 1,
  cuts: [],
  readsAfterMillis: 0,
  readingPauseMillis: 0,
  ending: { kind: "when answered" },
}

interface Seen {
  readonly messages: Conversation["messages"]
  readonly responses: ReadonlyArray<WireResponse>
  readonly end?: End
  readonly rest?: string
  readonly problem?: string
  readonly signal?: Signal["name"]
  readonly how?: Partial<Conversation>
}

/** Checks a conversation. Its pets and request IDs have the names `m-1`, `m-2` and so on. */
const check = ({ messages, responses, end = "closed", rest = "", problem, signal, how = {} }: Seen) => {
  const conversation: Conversation = { ...asSent, messages, ...how }
  const script = scriptOf(conversation, "host", "key", "m")
  return checkConversation(conversation, script, { responses, rest: Buffer.from(rest), problem, end }, signal)
}

const left: Partial<Conversation> = { ending: { kind: "reset", afterMillis: 0 } }

describe("the wire oracle accepts", () => {
  it.each<[string, Seen]>([
    [
      "one response for each request, in request order",
      { messages: ["page", "create"], responses: [page("m-1"), created("m-2")] },
    ],
    [
      "a refusal after the responses that were due",
      { messages: ["create", "garbage", "page"], responses: [created("m-1"), refusal] },
    ],
    [
      "silence after the response that closes the connection",
      { messages: ["create and close", "create"], responses: [created("m-1", true)] },
    ],
    ["fewer responses for a caller that disconnected", { messages: ["create", "create"], responses: [], end: "left", how: left }],
    [
      "an empty line without a response",
      { messages: [Buffer.from("\r\n"), "page"], responses: [], how: { share: 0.001, ending: { kind: "half-close" } } },
    ],
    [
      "a refusal of an incomplete request",
      { messages: ["create"], responses: [refusal], how: { share: 0.5, ending: { kind: "half-close" } } },
    ],
    ["any response after malformed bytes", { messages: [Buffer.from("x"), "page"], responses: [refusal] }],
    [
      "an early close that the service announces while it is stopping",
      { messages: ["create", "create"], responses: [created("m-1", true)], signal: "SIGTERM" },
    ],
  ])("%s", (_what, seen) => {
    expect(check(seen).findings).toEqual([])
  })
})

describe("the wire oracle rejects", () => {
  it.each<[string, Seen, RegExp]>([
    ["a missing response", { messages: ["page", "create"], responses: [page("m-1")] }, /request 2 of 2 did not get a response/],
    [
      "a missing response to an incomplete request",
      { messages: ["create"], responses: [], how: { share: 0.5, ending: { kind: "half-close" } } },
      /request 1 of 1 did not get a response/,
    ],
    [
      "responses that are not in request order",
      { messages: ["page", "create"], responses: [created("m-2"), page("m-1")] },
      /expected 200/,
    ],
    [
      "the response to a different request",
      { messages: ["page", "page"], responses: [page("m-2"), page("m-1")] },
      /X-Request-Id, m-2/,
    ],
    ["a response with a different pet", { messages: ["create"], responses: [created("m-9")] }, /a different pet, m-9/],
    ["a refusal before a response that is due", { messages: ["create", "garbage"], responses: [refusal] }, /expected 201/],
    ["a surplus response", { messages: ["page"], responses: [page("m-1"), page("m-1")] }, /a surplus response/],
    [
      "a response after the close that the client requested",
      { messages: ["create and close", "create"], responses: [created("m-1", true), created("m-2")] },
      /after the one that closed the connection/,
    ],
    [
      "a close that was not announced",
      { messages: ["create and close"], responses: [created("m-1")] },
      /does not contain Connection: close/,
    ],
    [
      "a close without a reason",
      { messages: ["create", "create"], responses: [created("m-1", true)] },
      /closes the connection without/,
    ],
    ["a success for a broken request", { messages: ["Transfer-Encoding: foo, chunked"], responses: [created("m-1")] }, /got 201/],
    [
      "an incomplete request that creates a pet",
      { messages: ["create"], responses: [created("m-1")], how: { share: 0.9, ending: { kind: "half-close" } } },
      /only part of the request was sent/,
    ],
    [
      "a response without an Error object",
      { messages: ["no route"], responses: [response({ status: 404 })] },
      /violates the contract/,
    ],
    [
      "100 Continue for a caller that did not request it",
      { messages: ["page"], responses: [response({ status: 200, id: "m-1", interim: [100] })] },
      /100 before the response/,
    ],
    ["bytes that are not HTTP", { messages: ["page"], responses: [], problem: "not a status line" }, /are not HTTP/],
    ["a truncated response", { messages: ["page"], responses: [page("m-1")], rest: "HTTP/1.1 200" }, /was truncated/],
    ["a connection that hangs", { messages: ["page"], responses: [page("m-1")], end: "hangs" }, /hangs/],
    ["a connection that is refused", { messages: ["page"], responses: [], end: "not connected" }, /was refused/],
  ])("%s", (_what, seen, finding) => {
    expect(check(seen).findings.join("\n")).toMatch(finding)
  })
})

describe("the pets that the wire oracle accepts without a response", () => {
  it.each<[string, Seen, ReadonlyArray<string>]>([
    ["no pet of a caller that stays connected", { messages: ["create", "create"], responses: [created("m-1")] }, []],
    [
      "no pet of a caller that stays connected while the service is stopping",
      { messages: ["create"], responses: [], signal: "SIGTERM" },
      [],
    ],
    [
      "the pets of a caller that does not read",
      { messages: ["create", "create"], responses: [created("m-1")], how: { ending: { kind: "stall" } } },
      ["m-2"],
    ],
    [
      "the pets of a caller that disconnected",
      { messages: ["create", "page", "create"], responses: [created("m-1")], end: "left", how: left },
      ["m-3"],
    ],
    [
      "no pet after the close that the client requested",
      { messages: ["create and close", "create"], responses: [], end: "left", how: left },
      ["m-1"],
    ],
    [
      "no pet after a broken request",
      { messages: ["create", "a length and chunks", "create"], responses: [], end: "left", how: left },
      ["m-1"],
    ],
    [
      "no pet after a response that closes the connection",
      { messages: ["create", "create"], responses: [created("m-1", true)], end: "left", how: left },
      [],
    ],
  ])("include %s", (_what, seen, names) => {
    expect([...check(seen).unanswered]).toEqual(names)
  })
})

describe("the check of stored pets", () => {
  const acknowledged = { acknowledged: new Set(["m-1"]), unanswered: new Set<string>() }
  const leaves = { acknowledged: new Set<string>(), unanswered: new Set(["m-2"]) }

  it("accepts acknowledged pets, and each pet without a response once, in the caller's scenario or a later one", () => {
    const mayTurnUp = new Set<string>()
    expect(checkKept(["m-1"], [acknowledged, leaves], mayTurnUp, "m")).toEqual([])
    expect(checkKept(["m-2"], [], mayTurnUp, "n")).toEqual([])
    expect(checkKept(["m-2"], [], mayTurnUp, "n")).toEqual(["m-2, from an earlier scenario, is stored without a response"])
  })

  it("rejects missing pets, pets that are stored twice, and pets that are stored without a response", () => {
    expect(checkKept(["m-1", "m-3"], [acknowledged], new Set(), "m")).toEqual(["m-3 is stored without a response"])
    expect(checkKept(["m-1", "m-1"], [acknowledged], new Set(), "m")).toEqual(["m-1 is stored twice"])
    expect(checkKept([], [acknowledged], new Set(), "m")).toEqual(["m-1 was acknowledged but is not stored"])
  })
})
