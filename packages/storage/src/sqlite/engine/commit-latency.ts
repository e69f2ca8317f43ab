/** Determines from commit durations whether a file's disk is slow. */

/** The average commit duration above which readers wait noticeably, in ms. */
const slowMillis = 3

/**
 * The average commit duration below which a disk is fast again, in ms. A slow processor takes 1 ms for the pages of 64 creates. If
 * that were slow, one stall would leave all further writes on another thread.
 */
const quickMillis = 2

/** The latest commit's weight in the average. One stall of 30 ms makes a disk slow, and a few dozen fast commits make it fast. */
const newest = 0.1

export const commitLatency = () => {
  let averageMillis = 0
  let isSlow = false
  return {
    observe: (millis: number): void => {
      averageMillis += newest * (millis - averageMillis)
      isSlow = averageMillis > (isSlow ? quickMillis : slowMillis)
    },
    /** Changes only when commits are clearly slow, or clearly fast again. */
    isSlow: () => isSlow,
  }
}
