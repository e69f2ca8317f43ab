/**
 * Ready answers: a page that was answered once is sent again as it is, for as long
 * as no pet has been written that could change it. A full page ends where the next one
 * begins, so new pets, which come last, leave it alone.
 */
import type { PetRevision } from "@petstore/core"
import { Option } from "effect"
import type { ReadAnswer } from "./answer.js"

interface Ready {
  readonly answer: ReadAnswer
  /** Whether the list went on behind this page. */
  readonly isFull: boolean
  readonly revision: PetRevision
  readonly bytes: number
}

export interface ReadyAnswers {
  /** A revision that a read which begins now would see, unless it sees a later one. Asked for once in a turn of the event loop. */
  readonly revision: () => Option.Option<PetRevision>
  /** The answer that was kept for a request target, if it is still true. */
  readonly find: (target: string) => ReadAnswer | undefined
  /** Keeps an answer that was read at a revision, or later, if its target is asked for again and again. */
  readonly keep: (target: string, answer: ReadAnswer, isFull: boolean, revision: Option.Option<PetRevision>) => void
}

/** How many targets are remembered as asked for once, before the older half is forgotten. */
const seenMaximum = 2_000

/** Bytes of one entry beside its texts, roughly. */
const overheadBytes = 500

/**
 * @param revision      asks the store how far it has come
 * @param maximumBytes  bounds what is kept, roughly; what was not asked for lately goes first
 */
export const readyAnswers = (revision: () => Option.Option<PetRevision>, maximumBytes: number): ReadyAnswers => {
  // Two generations: what was not asked for while one half was filled goes with the other half, at once.
  let young = new Map<string, Ready>()
  let old = new Map<string, Ready>()
  let youngBytes = 0
  let seen = new Set<string>()
  let seenBefore = new Set<string>()
  let revisionOfThisTurn: Option.Option<PetRevision> | undefined

  /**
   * The revision, asked for once in a turn of the event loop, when the first
   * request of the turn is judged. Every other request of the turn had arrived by
   * then, so none of them is answered from a state older than its own beginning.
   */
  const currentRevision = (): Option.Option<PetRevision> => {
    if (revisionOfThisTurn === undefined) {
      revisionOfThisTurn = revision()
      setImmediate(() => {
        revisionOfThisTurn = undefined
      })
    }
    return revisionOfThisTurn
  }

  const isTrue = ({ isFull, revision: readAt }: Ready): boolean =>
    Option.exists(currentRevision(), (now) => now.changes === readAt.changes && (isFull || now.insertions === readAt.insertions))

  const add = (target: string, entry: Ready): void => {
    young.set(target, entry)
    youngBytes += entry.bytes
    if (youngBytes > maximumBytes / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
  }

  /** A page that nobody asks for twice is not worth its place: most of them, where many callers walk a large catalogue. */
  const isFirstTime = (target: string): boolean => {
    if (seen.has(target) || seenBefore.has(target)) return false
    seen.add(target)
    if (seen.size > seenMaximum) {
      seenBefore = seen
      seen = new Set()
    }
    return true
  }

  return {
    revision: currentRevision,

    find: (target) => {
      const entry = young.get(target) ?? old.get(target)
      if (entry === undefined || !isTrue(entry)) return undefined
      if (old.delete(target)) add(target, entry)
      return entry.answer
    },

    keep: (target, answer, isFull, readAt) => {
      if (Option.isNone(readAt) || isFirstTime(target)) return
      const bytes = answer.body.length + target.length + overheadBytes
      old.delete(target)
      youngBytes -= young.get(target)?.bytes ?? 0
      add(target, { answer, isFull, revision: readAt.value, bytes })
    },
  }
}
