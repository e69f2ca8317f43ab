/** Whether the disk under a file is slow, told by how long commits take. */

/** Commits that take longer on average keep readers waiting noticeably, in ms. */
const slowMillis = 3

/** Commits that take less on average cost less than telling another thread of them, in ms. */
const quickMillis = 1

/** Weight of the newest commit in the average: a stall of 30 ms makes a disk slow at once, and some dozen quick commits make it quick. */
const newest = 0.1

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
      averageMillis += newest * (millis - averageMillis)
      isSlow = averageMillis > (isSlow ? quickMillis : slowMillis)
    },
    isSlow: () => isSlow,
  }
}
