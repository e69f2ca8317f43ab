/** Entity tags (RFC 9110 §8.8.3, §13.1.2). */
import { hash } from "node:crypto"

/** The strong entity tag for a text. Different texts have different tags. */
export const etagOf = (text: string): string => `"${hash("sha256", text, "base64url").slice(0, 22)}"`

/** A list of entity tags, weak or strong, or `*`. */
const form = /^[ \t]*(?:\*|(?:,[ \t]*)*(?:W\/)?"[!#-~\x80-\xff]*"(?:[ \t]*,(?:[ \t]*(?:W\/)?"[!#-~\x80-\xff]*")?)*)[ \t]*$/

/**
 * Returns a function that tests for a tag, or `undefined` if the header is malformed. Also matches a tag that a compressing proxy
 * made weak, or marked at its end (decision 0049).
 */
export const tagsIn = (header: string): ((etag: string) => boolean) | undefined => {
  if (!form.test(header)) return undefined
  if (header.trim() === "*") return () => true
  const tags = [...header.matchAll(/"[^"]*"/g)].flatMap(([tag]) => [tag, tag.replace(/-(?:gzip|br)"$/, '"')])
  return (etag) => tags.includes(etag)
}

/** Whether `If-None-Match` names this tag. A malformed header names no tag (specification 11.5). */
export const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  // Nearly every client sends a single tag from an earlier response.
  ifNoneMatch === etag || tagsIn(ifNoneMatch)?.(etag) === true
