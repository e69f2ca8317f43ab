import * as Context from "effect/Context"

/** Synchronous cryptography that cannot fail. The platform provides it, because core imports no Node modules. */
export class Cryptography extends Context.Tag("@petstore/core/Cryptography")<
  Cryptography,
  {
    /** Returns the SHA-256 of a string's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
    readonly sha256: (text: string) => string
    /** Returns `size` bytes from a cryptographically secure source. */
    readonly randomBytes: (size: number) => Uint8Array
  }
>() {}
