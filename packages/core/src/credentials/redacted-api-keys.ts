/** Keeps API keys out of messages and logs, which may repeat a key from the wrong place. */

/**
 * The start of an API key and the characters after it, also with percent-encoded underscores; a part of a key is a secret too.
 */
const written = /(pst(?:_|%5f)(?:dev|test|live)(?:_|%5f))[0-9a-z]+/i

const everyWritten = new RegExp(written, "gi")

/** Whether text contains an API key, or a part of one. */
export const containsApiKey = (text: string): boolean => written.test(text)

/** Text without the secret part of any API key in it. `my key pst_dev_0123` becomes `my key pst_dev_***`. */
export const redactApiKeys = (text: string): string => (written.test(text) ? text.replace(everyWritten, "$1***") : text)
