/** Text made of the 62 ASCII letters and digits. It needs no escaping, and a double click selects all of it. */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Writes an unsigned number, padded with zeros to `length` characters. */
export const base62 = (value: number, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text
  return text
}

/** The largest multiple of 62 that fits into a byte. Bytes from 248 on would favour the first characters: they are redrawn. */
const unbiased = 248

/** Returns `length` random characters, each equally likely (5.95 bits each). `randomBytes` returns `size` random bytes. */
export const randomBase62 = (length: number, randomBytes: (size: number) => Uint8Array): string => {
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) if (byte < unbiased) text += alphabet.charAt(byte % 62)
  }
  return text
}
