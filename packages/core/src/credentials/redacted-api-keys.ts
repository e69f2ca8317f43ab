/** Keeps API keys out of messages and logs, which may repeat a key that was sent in the wrong place. */

/** The start of an API key and the characters after it. Underscores may be percent-encoded. Part of a key is secret too. */
const written = /(pst(?:_|%5f)(?:dev|test|live)(?:_|%5f))[0-9a-z]+/i

const everyWritten = new RegExp(written, "gi")

/** Whether text contains an API key or part of one. */
export const containsApiKey = (text: string): boolean => written.test(text)

/** Replaces the secret part of every API key in a text: `my key pst_dev_0123` becomes `my key pst_dev_***`. */
export const redactApiKeys = (text: string): string => (written.test(text) ? text.replace(everyWritten, "$1***") : text)
