/** Whether the disk of a file is slow, by the duration of commits. */

/** The average duration of commits above which readers wait noticeably, in ms. */
const slowMillis = 3

/** The average duration of commits below which a message to another thread costs more, in ms. */
const quickMillis = 1

/**
 * The weight of the newest commit in the average: a stall of 30 ms marks a disk as slow at once, and some dozen fast commits as
 * fast.
 */
const newest = 0.1

export interface CommitLatency {
  /** Records the duration of a commit, in ms. */
  readonly observe: (millis: number) => void
  /** Changes only when commits are clearly slow, or clearly fast again. */
  readonly isSlow: () => boolean
}

export const commitLatency = (): CommitLatency => {
  let averageMillis = 0
  let isSlow = false
  return {
    observe: (millis) => {
      averageMillis += newest * (millis - averageMillis)
      isSlow = averageMillis > (isSlow ? quickMillis : slowMillis)
    },
    isSlow: () => isSlow,
  }
}
