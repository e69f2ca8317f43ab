/** The note of a reservation. */
import type { Order, Pet, Result } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { isChanged } from "./failure.ts"
import { untold } from "./report.ts"
import { named, sentence } from "./sentence.ts"
import type { Session } from "./state.ts"
import { changeOnce } from "./until-known.ts"

/** The length of the longest note that the service accepts, in code points. */
export const longestNote = 256

export const noteExample = "Ms Hill, until Saturday"

/**
 * Saves a note, unless the order has changed since it was read. Returns what to report.
 *
 * @param say  called with the end of "It is not known yet whether …" whenever the outcome is unknown
 */
export const saveNote = async (
  { petstore, signal }: Session,
  { name }: Pet,
  { value: { id }, etag }: Result<Order>,
  text: string,
  say: (whether: ComponentChildren) => void = () => {},
): Promise<ComponentChildren> => {
  const note = text === "" ? null : text
  const whether = sentence`the note for ${named(name)} was saved`
  await untold(whether, (isUnknown) =>
    changeOnce(
      () => petstore.orders.change(id, { note }, { signal, ifMatch: etag }),
      async (refusal) => isChanged(refusal) && (await petstore.orders.get(id, { signal })).value.note === (note ?? undefined),
      () => {
        isUnknown()
        say(whether)
      },
      signal,
    ),
  )
  return note === null ? sentence`Removed the note for ${named(name)}.` : sentence`The note for ${named(name)} is ${named(note)}.`
}
