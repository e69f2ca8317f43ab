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
  /** The answer that was kept for a request target, if it is still true. */
  readonly find: (target: string) => ReadAnswer | undefined
  /** Keeps an answer that was read at a revision, or later. */
  readonly keep: (target: string, answer: ReadAnswer, isFull: boolean, revision: Option.Option<PetRevision>) => void
}

/** Bytes of one entry beside its texts, roughly. */
const overheadBytes = 500

/**
 * @param revision      asks the store how far it has come
 * @param maximumBytes  bounds what is kept, roughly; the oldest goes first
 */
export const readyAnswers = (revision: () => Option.Option<PetRevision>, maximumBytes: number): ReadyAnswers => {
  const kept = new Map<string, Ready>()
  let bytes = 0
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

  const drop = (target: string, entry: Ready): void => {
    kept.delete(target)
    bytes -= entry.bytes
  }

  return {
    find: (target) => {
      const entry = kept.get(target)
      if (entry === undefined) return undefined
      const now = Option.getOrUndefined(currentRevision())
      const isTrue =
        now !== undefined &&
        now.changes === entry.revision.changes &&
        (entry.isFull || now.insertions === entry.revision.insertions)
      if (isTrue) return entry.answer
      drop(target, entry)
      return undefined
    },

    keep: (target, answer, isFull, readAt) => {
      if (Option.isNone(readAt)) return
      const previous = kept.get(target)
      if (previous !== undefined) drop(target, previous)
      const entry = { answer, isFull, revision: readAt.value, bytes: answer.body.length + target.length + overheadBytes }
      kept.set(target, entry)
      bytes += entry.bytes
      for (const [oldest, { bytes: size }] of kept) {
        if (bytes <= maximumBytes) break
        kept.delete(oldest)
        bytes -= size
      }
    },
  }
}
