/** A small pseudo-random number generator (xorshift32). The same seed produces the same sequence. */
export const randomFrom = (seed: number) => {
  let state = seed * 2654435761 + 1
  const next = (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  const pick = <A>(choices: readonly [A, ...A[]]): A => choices[next(choices.length)] ?? choices[0]
  return { next, pick }
}
