import { describe, expect, it } from "vitest"
import { CredentialMissing } from "../../src/contract/authorization.js"
import { makeErrorObject } from "../../src/contract/error-object.js"
import type { RequestFailure } from "../../src/contract/request-failure.js"
import { failureHeaders, toErrorObject } from "../../src/contract/request-failure.js"
import { CredentialRejected, IdempotencyKeyReused, PetNotFound, StorageUnavailable } from "../../src/errors.js"
import { InvalidBody, InvalidJson, InvalidParameter } from "../../src/json/invalid-input.js"

describe("the Error object", () => {
  it("has code, message and status, and no other members", () => {
    expect(makeErrorObject("route_not_found", "There is nothing here.")).toStrictEqual({
      code: "route_not_found",
      message: "There is nothing here.",
      status: 404,
    })
  })

  const seven = { field: "categoryId", expected: "expected an integer", received: '"7"' }
  const failures: ReadonlyArray<readonly [RequestFailure, string, number, string]> = [
    [
      new CredentialMissing({ lacksScheme: false }),
      "missing_credential",
      401,
      "The request needs an API key: Authorization: Bearer <API_KEY>.",
    ],
    [
      new CredentialRejected({ reason: "format" }),
      "invalid_credential",
      401,
      "The credential is not an API key of this service.",
    ],
    [
      new CredentialRejected({ reason: "checksum" }),
      "invalid_credential",
      401,
      "The API key is mistyped: its checksum does not match.",
    ],
    [
      new CredentialRejected({ reason: { keyOf: "staging" } }),
      "invalid_credential",
      401,
      "The API key is for staging, which is another deployment.",
    ],
    [
      new CredentialRejected({ reason: "unknown" }),
      "invalid_credential",
      401,
      "The API key is unknown, expired or revoked, or its account is disabled.",
    ],
    [
      new InvalidParameter({ parameter: "limit", expected: "expected one whole number", received: '"0"' }),
      "invalid_parameter",
      400,
      'limit: expected one whole number, got "0".',
    ],
    [new InvalidJson({ reason: "it is empty" }), "invalid_json", 400, "The body is not valid JSON: it is empty."],
    [new InvalidBody({ problems: [seven] }), "invalid_body", 400, 'categoryId: expected an integer, got "7".'],
    [
      new InvalidBody({ problems: [{ field: "name", expected: "is required", received: "nothing" }, seven] }),
      "invalid_body",
      400,
      'name: is required, got nothing; categoryId: expected an integer, got "7".',
    ],
    [new PetNotFound({ petId: 7n }), "pet_not_found", 404, "No pet has the identifier 7."],
    [
      new IdempotencyKeyReused({ key: "a-1" }),
      "idempotency_key_reused",
      422,
      "The idempotency key a-1 was already used with a different body. Use a new key for a new request.",
    ],
    [
      new StorageUnavailable({ cause: new Error("disk I/O error") }),
      "storage_unavailable",
      503,
      "The database is unavailable. Try again.",
    ],
  ]

  for (const [failure, code, status, message] of failures) {
    it(`for ${failure._tag} has the code ${code} and the message: ${message}`, () => {
      expect(toErrorObject(failure)).toStrictEqual({ code, message, status })
      expect(String(failure)).toContain(message)
    })
  }

  it("shortens and quotes an identifier that is not an integer", () => {
    expect(toErrorObject(new PetNotFound({ petId: "a\nb" })).message).toBe('No pet has the identifier "a\\nb".')
    expect(toErrorObject(new PetNotFound({ petId: "x".repeat(10_000) })).message).toBe(
      `No pet has the identifier "${"x".repeat(60)}…".`,
    )
  })
})

describe("the headers of a failure", () => {
  it("ask for a bearer credential, and name an error only if a credential was sent (RFC 6750 §3)", () => {
    expect(failureHeaders(new CredentialMissing({ lacksScheme: false }))).toStrictEqual({
      "WWW-Authenticate": 'Bearer realm="petstore"',
    })
    expect(failureHeaders(new CredentialRejected({ reason: "unknown" }))).toStrictEqual({
      "WWW-Authenticate": 'Bearer realm="petstore", error="invalid_token"',
    })
  })

  it("contain only Retry-After if the store is unavailable, and nothing if a pet does not exist", () => {
    expect(failureHeaders(new StorageUnavailable({ cause: undefined }))).toStrictEqual({ "Retry-After": "1" })
    expect(failureHeaders(new PetNotFound({ petId: "7" }))).toStrictEqual({})
  })
})
