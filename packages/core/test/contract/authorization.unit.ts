import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { CredentialMissing, decodeAuthorization } from "../../src/contract/authorization.js"

const key = "pst_live_0123456789ABCDEFGHIJKLMNOPQRSTUV3IxtmM"

describe("decodeAuthorization", () => {
  it.each([
    `Bearer ${key}`,
    `bearer ${key}`,
    `BEARER ${key}`,
    `bEaReR ${key}`,
    `Bearer  ${key}`,
    `Bearer${" ".repeat(50)}${key}`,
  ])("accepts %j", (authorization) => {
    expect(decodeAuthorization(authorization)).toStrictEqual(Either.right(key))
  })

  it("reports a missing header", () => {
    for (const absent of [undefined, null])
      expect(decodeAuthorization(absent)).toStrictEqual(Either.left(new CredentialMissing({ lacksScheme: false })))
  })

  it.each(["", " ", "Bearer", "bearer", "Bearer ", "Bearer    ", "Basic YTpi"])(
    "finds no bearer credential in %j (RFC 6750 §3.1)",
    (authorization) => {
      expect(decodeAuthorization(authorization)).toStrictEqual(Either.left(new CredentialMissing({ lacksScheme: false })))
    },
  )

  it.each([
    key,
    `Bearer\t${key}`,
    `Bearer\u00A0${key}`,
    `Bearer:${key}`,
    `Bearer=${key}`,
    `Bearer${key}`,
    `Bearer, ${key}`,
    ` Bearer ${key}`,
    `"Bearer ${key}"`,
    `Basic ${key}`,
    `Token ${key}`,
    `Bearers ${key}`,
    `B\u0435arer ${key}`,
    `${key} Bearer`,
  ])("finds no bearer credential in %j, and reports that the key lacks its scheme", (authorization) => {
    const failure = new CredentialMissing({ lacksScheme: true })
    expect(decodeAuthorization(authorization)).toStrictEqual(Either.left(failure))
    expect(failure.message).toContain("lacks the Bearer scheme")
  })

  it.each([
    `${key} `,
    `${key} ${key}`,
    `${key}, Bearer ${key}`,
    `"${key}"`,
    `\t${key}`,
    'realm="petstore"',
    "null",
    "Bearer",
    "é",
  ])("accepts the credential %j unchanged: decodeApiKey decides whether it is a key", (credential) => {
    expect(decodeAuthorization(`Bearer ${credential}`)).toStrictEqual(Either.right(credential))
  })

  it("puts no part of the credential into the failure", () => {
    const failure = decodeAuthorization(`Basic ${key}`)
    expect(JSON.stringify(failure) + String(Either.getLeft(failure))).not.toContain("0123456789")
  })
})
