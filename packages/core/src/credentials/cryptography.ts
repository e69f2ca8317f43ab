/** Hashing and randomness, which core gets from the platform: it imports no Node module. */
import * as Context from "effect/Context"

/** What credentials need of cryptography. Both are synchronous and cannot fail. */
export class Cryptography extends Context.Tag("@petstore/core/Cryptography")<
  Cryptography,
  {
    /** SHA-256 of the UTF-8 bytes of a string, in 64 lower-case hexadecimal digits. */
    readonly sha256: (text: string) => string
    /** `size` bytes from a cryptographically secure source. */
    readonly randomBytes: (size: number) => Uint8Array
  }
>() {}
