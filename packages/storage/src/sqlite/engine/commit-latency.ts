/** Whether the disk under a file is slow, told by how long commits take. */

/** Commits that take longer on average keep readers waiting noticeably, in ms. */
const slowMillis = 3

/** Commits that take less on average cost less than telling another thread of them, in ms. */
const quickMillis = 1

/** Weight of the newest commit in the average. */
const newest = 0.1

/** What a commit counts for at most, in ms: it takes seven slow ones in a row, and no single hiccup, to call a disk slow. */
const countedMillis = 2 * slowMillis

export interface CommitLatency {
  /** Takes how long a commit took, in ms. */
  readonly observe: (millis: number) => void
  /** Stays as it is until commits are clearly slow, or clearly quick again. */
  readonly isSlow: () => boolean
}

export const commitLatency = (): CommitLatency => {
  let averageMillis = 0
  let isSlow = false
  return {
    observe: (millis) => {
      averageMillis += newest * (Math.min(millis, countedMillis) - averageMillis)
      isSlow = averageMillis > (isSlow ? quickMillis : slowMillis)
    },
    isSlow: () => isSlow,
  }
}
