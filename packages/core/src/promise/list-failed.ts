import type { Failure } from "./result.js"

/** What an iteration such as `listAllPets` throws if a page cannot be read. Only `changes` fails with `cursor_expired`. */
export interface ListFailed extends Error {
  readonly name: "ListFailed"
  readonly cause: Failure<"invalid_parameter" | "cursor_expired" | "storage_unavailable">
}

/**
 * Whether an iteration threw this because of a failure. Any other error is a bug.
 *
 * @example if (isListFailed(error) && error.cause.error.code === "storage_unavailable") console.log("Try again.")
 */
export const isListFailed = (thrown: unknown): thrown is ListFailed => thrown instanceof Error && thrown.name === "ListFailed"
