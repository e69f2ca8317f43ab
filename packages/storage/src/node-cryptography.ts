/** Adapter of `Cryptography` on `node:crypto`. */
import { hash, randomBytes } from "node:crypto"
import { Cryptography } from "@petstore/core"
import { Layer } from "effect"

export const nodeCryptography: Layer.Layer<Cryptography> = Layer.succeed(Cryptography, {
  sha256: (text) => hash("sha256", text, "hex"),
  randomBytes,
})
