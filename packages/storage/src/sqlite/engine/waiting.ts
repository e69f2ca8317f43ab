/**
 * How the lock of SQLite is waited for: it has no queue, so a writer that finds it taken asks again and again. It is never free while one
 * thread writes all the time, so that thread leaves a gap that is longer than the time between two questions.
 */

/** When the lock is asked for again, in ms. The event loop runs on meanwhile: reads are answered. */
export const askAgainMillis = 2

/** How long a request waits for it, in ms. */
export const requestMillis = 2_000

/** How long a program that opens or copies the store waits for it, in ms. */
export const openMillis = 5_000

/** How long a transaction waits for it that took long to prepare, such as an import, in ms. */
export const preparedMillis = 10_000

/** After so long a time without a gap a writer leaves one, in ms. */
export const gapEveryMillis = 100

/** How long the gap is, in ms. */
export const gapMillis = 2 * askAgainMillis
