/** SQLite's lock has no queue: writers poll for it, and a busy writer pauses for longer than the polling interval to leave it. */

/** The polling interval, in ms. The event loop continues meanwhile, so reads are still served. */
export const askAgainMillis = 2

/** How long a request waits for the lock, in ms. */
export const requestMillis = 2_000

/** How long a program that opens or copies the store waits for the lock, in ms. */
export const openMillis = 5_000

/** How long a large transaction, such as an import, waits for the lock, in ms. */
export const preparedMillis = 10_000

/** How long a busy writer writes before it pauses, in ms. */
export const gapEveryMillis = 100

/** The length of the pause, in ms. */
export const gapMillis = 2 * askAgainMillis
