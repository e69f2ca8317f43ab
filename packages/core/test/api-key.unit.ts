import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeApiKey, decodeAuthorization, generateApiKey } from "../src/api-key.js"
import { deployments } from "../src/deployment.js"
import { CredentialMissing, CredentialRejected } from "../src/errors.js"

const counting = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, index) => index)

/** Keys for the bytes 0, 1, 2 and so on. Keys outside depend on this form: it never changes. */
const known = {
  development: "pst_dev_0123456789ABCDEFGHIJKLMNOPQRSTUV2gywYG",
  staging: "pst_test_0123456789ABCDEFGHIJKLMNOPQRSTUV05X3yZ",
  production: "pst_live_0123456789ABCDEFGHIJKLMNOPQRSTUV3IxtmM",
} as const

const key = known.production

const rejected = (reason: CredentialRejected["reason"]) => Either.left(new CredentialRejected({ reason }))

describe("generateApiKey", () => {
  it.each(deployments)("makes a key of %s that is accepted there and nowhere else", (deployment) => {
    const made = generateApiKey(deployment, counting)
    expect(made).toBe(known[deployment])
    for (const other of deployments) {
      expect(decodeApiKey(made, other)).toStrictEqual(other === deployment ? Either.right(made) : rejected({ keyOf: deployment }))
    }
  })
})

describe("decodeApiKey", () => {
  it("refuses every change of a single character, and says that it is mistyped or no key at all", () => {
    const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- é"
    for (let place = 0; place < key.length; place += 1) {
      for (const character of characters) {
        if (key[place] === character) continue
        const changed = key.slice(0, place) + character + key.slice(place + 1)
        const inShape = /^pst_(dev|test|live)_[0-9A-Za-z]{38}$/.test(changed)
        expect(decodeApiKey(changed, "production"), changed).toStrictEqual(rejected(inShape ? "checksum" : "format"))
      }
    }
  })

  it("refuses a key in lower case", () => {
    expect(decodeApiKey(key.toLowerCase(), "production")).toStrictEqual(rejected("checksum"))
  })

  it("refuses every exchange of two neighbours", () => {
    for (let place = 0; place < key.length - 1; place += 1) {
      const [one = "", other = ""] = key.slice(place, place + 2)
      if (one === other) continue
      const changed = key.slice(0, place) + other + one + key.slice(place + 2)
      expect(Either.isLeft(decodeApiKey(changed, "production")), changed).toBe(true)
    }
  })

  it("refuses a key whose prefix was changed to another deployment's", () => {
    expect(decodeApiKey(key.replace("live", "test"), "staging")).toStrictEqual(rejected("checksum"))
  })

  it.each(["", " ", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase(), `${key} ${key}`, "x".repeat(46)])(
    "refuses %j, which has not the shape of a key",
    (text) => {
      expect(decodeApiKey(text, "production")).toStrictEqual(rejected("format"))
    },
  )
})

describe("decodeAuthorization", () => {
  it.each([
    `Bearer ${key}`,
    `bearer ${key}`,
    `BEARER ${key}`,
    `bEaReR ${key}`,
    `Bearer  ${key}`,
    `Bearer${" ".repeat(50)}${key}`,
  ])("takes %j", (authorization) => {
    expect(decodeAuthorization(authorization, "production")).toStrictEqual(Either.right(key))
  })

  it("says that there is none", () => {
    expect(decodeAuthorization(undefined, "production")).toStrictEqual(Either.left(new CredentialMissing()))
  })

  it.each([
    "",
    " ",
    key,
    "Bearer",
    "bearer",
    "Bearer ",
    "Bearer    ",
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
  ])("finds no bearer credential in %j (RFC 6750 §3.1)", (authorization) => {
    expect(decodeAuthorization(authorization, "production")).toStrictEqual(Either.left(new CredentialMissing()))
  })

  it.each([
    `Bearer ${key} `,
    `Bearer ${key}\t`,
    `Bearer ${key} x`,
    `Bearer ${key} ${key}`,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer ${key},`,
    `Bearer ${key}${key}`,
    `Bearer "${key}"`,
    `Bearer <${key}>`,
    `Bearer \t${key}`,
    `Bearer realm="petstore"`,
    "Bearer null",
    "Bearer undefined",
    "Bearer Bearer",
    "Bearer é",
  ])("refuses %j, which holds no key and nothing else", (authorization) => {
    expect(decodeAuthorization(authorization, "production")).toStrictEqual(rejected("format"))
  })

  it("refuses a mistyped key and a key of another deployment, and says which", () => {
    expect(decodeAuthorization(`Bearer ${key.slice(0, -1)}0`, "production")).toStrictEqual(rejected("checksum"))
    expect(decodeAuthorization(`Bearer ${known.staging}`, "production")).toStrictEqual(rejected({ keyOf: "staging" }))
  })

  it("puts no part of the credential into the failure", () => {
    for (const authorization of [key, `Basic ${key}`, `Bearer ${key}x`, `Bearer ${known.staging}`]) {
      const failure = decodeAuthorization(authorization, "production")
      expect(JSON.stringify(failure) + String(Either.getLeft(failure))).not.toContain("0123456789")
    }
  })
})
