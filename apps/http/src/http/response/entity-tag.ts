/** Entity tags (RFC 9110 §8.8.3, §13.1.2). */
import { hash } from "node:crypto"

/** The strong tag of a text. Different texts have different tags. */
export const etagOf = (text: string): string => `"${hash("sha256", text, "base64url").slice(0, 22)}"`

/** A list of entity tags, weak or strong, or `*`. */
const form = /^[ \t]*(?:\*|(?:,[ \t]*)*(?:W\/)?"[!#-~\x80-\xff]*"(?:[ \t]*,(?:[ \t]*(?:W\/)?"[!#-~\x80-\xff]*")?)*)[ \t]*$/

/** Whether a header is such a list. */
export const isTagList = (header: string): boolean => form.test(header)

/** Whether `If-None-Match` names this tag. A malformed header names no tag (specification 11.5). */
export const isKnown = (ifNoneMatch: string, etag: string): boolean => {
  // Nearly every client sends a single tag from an earlier response.
  if (ifNoneMatch === etag) return true
  if (!isTagList(ifNoneMatch)) return false
  if (ifNoneMatch.trim() === "*") return true
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag)
}
