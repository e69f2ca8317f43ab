import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { decodeApiKey, generateApiKey } from "../../src/credentials/api-key.js"
import { deployments } from "../../src/credentials/deployment.js"
import { CredentialRejected } from "../../src/errors.js"

const counting = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, index) => index)

/** Keys made from the bytes 0, 1, 2 and so on. Existing keys depend on this format, so it must never change. */
const known = {
  development: "pst_dev_0123456789ABCDEFGHIJKLMNOPQRSTUV2gywYG",
  staging: "pst_test_0123456789ABCDEFGHIJKLMNOPQRSTUV05X3yZ",
  production: "pst_live_0123456789ABCDEFGHIJKLMNOPQRSTUV3IxtmM",
} as const

const key = known.production

const rejected = (reason: CredentialRejected["reason"]) => Either.left(new CredentialRejected({ reason }))

describe("generateApiKey", () => {
  it.each(deployments)("makes a key for %s that no other deployment accepts", (deployment) => {
    const made = generateApiKey(deployment, counting)
    expect(made).toBe(known[deployment])
    for (const other of deployments) {
      expect(decodeApiKey(made, other)).toStrictEqual(other === deployment ? Either.right(made) : rejected({ keyOf: deployment }))
    }
  })
})

describe("decodeApiKey", () => {
  it("refuses a key with any one changed character, as mistyped or malformed", () => {
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

  it("refuses a key with any two neighbouring characters swapped", () => {
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

  it.each([
    "",
    " ",
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.toUpperCase(),
    `${key} ${key}`,
    "x".repeat(46),
    `${key} `,
    `${key}\t`,
    `${key} x`,
    `${key}, Bearer ${key}`,
    `${key},`,
    `${key}${key}`,
    `"${key}"`,
    `<${key}>`,
    `\t${key}`,
    `realm="petstore"`,
    "null",
    "undefined",
    "Bearer",
    "é",
  ])("refuses %j, which does not have the shape of a key", (text) => {
    expect(decodeApiKey(text, "production")).toStrictEqual(rejected("format"))
  })

  it("puts no part of the key into the failure", () => {
    for (const text of [`${key}x`, `${key.slice(0, -1)}0`, known.staging]) {
      const failure = decodeApiKey(text, "production")
      expect(JSON.stringify(failure) + String(Either.getLeft(failure))).not.toContain("0123456789")
    }
  })
})
