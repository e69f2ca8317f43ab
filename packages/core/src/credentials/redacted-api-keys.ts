/** Keeps API keys out of messages and logs, which may repeat a key that was sent in the wrong place. */

/** The start of an API key and the characters after it. Part of a key is secret too. */
const written = /(pst_(?:dev|test|live)_)[0-9a-z]+/i

const everyWritten = new RegExp(written, "gi")

/** An ASCII character that was percent-encoded, any number of times: `%5f`, `%255f`. */
const encoded = /%(?:25)*([0-7][0-9a-f])/gi

const decoded = (text: string): string =>
  text.includes("%") ? text.replace(encoded, (_, code) => String.fromCharCode(Number.parseInt(code, 16))) : text

/** Whether text contains an API key or part of one, percent-encoded or not. */
export const containsApiKey = (text: string): boolean => written.test(decoded(text))

/**
 * Replaces the secret part of every API key in a text: `my key pst_dev_0123` becomes `my key pst_dev_***`. A text with an encoded
 * key is returned without encoding.
 */
export const redactApiKeys = (text: string): string => {
  const plain = decoded(text)
  return written.test(plain) ? plain.replace(everyWritten, "$1***") : text
}
