import { hash, randomBytes } from "node:crypto"
import { Cryptography } from "@petstore/core"
import * as Layer from "effect/Layer"

/** Hashes and generates random bytes with Node, synchronously. Random bytes come from the operating system's secure source. */
export const nodeCryptography: Layer.Layer<Cryptography> = Layer.succeed(Cryptography, {
  sha256: (text) => hash("sha256", text, "hex"),
  randomBytes,
})
