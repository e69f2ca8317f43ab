/** A file of which nothing can be used, and the texts of files in messages. */
import { redactApiKeys } from "@petstore/core/internal"
import type { FileDescription } from "./description.js"

/** Carries what is wrong, and the description under which the file may be readable. */
export class FileRefused extends Error {
  readonly _tag = "FileRefused"
  constructor(
    reason: string,
    readonly proposal: FileDescription = {},
    /** The names of the columns, if they are known. */
    readonly columns: ReadonlyArray<string> = [],
  ) {
    super(reason)
  }

  /** Whether the proposal can be tried as it is, without a choice by a person. */
  get isEnough(): boolean {
    return Object.keys(this.proposal).length > 0 && !Object.values(this.proposal.columns ?? {}).includes("HEADER")
  }
}

/** Formats text of a file for a terminal: at most 60 code points, without control characters and API keys. */
export const shown = (text: string): string => {
  const points = [...redactApiKeys(text.slice(0, 1_000))]
  const short = points.length > 60 ? `${points.slice(0, 60).join("")}…` : points.join("")
  return visible(JSON.stringify(short))
}

/** Characters that steer a terminal or turn the direction of its text. */
const marks = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Escapes the characters that would steer a terminal. */
export const visible = (text: string): string =>
  text.replaceAll(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
