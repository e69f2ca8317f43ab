/** Who made a change. */
import type { Change } from "@petstore/client"

/** The account and the label of its key, or the command. */
export const byOf = ({ by }: Change): string => {
  if (by === undefined) return "another program"
  if ("command" in by) return `the command ${by.command}`
  return by.key.label === undefined ? by.account.name : `${by.account.name}, ${by.key.label}`
}
