/**
 * How to wait for SQLite's lock. The lock has no queue, so a writer polls for it. A thread that writes continuously would never
 * leave the lock free, so the thread pauses for longer than the polling interval.
 */

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
