/** What a row's buttons do, and how it is taken back. */
import type { Change, CreateOptions, NewPet, Order, Pet, Result } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { correct, correctionOf } from "./correction.ts"
import { hasCode, isUnavailable, sentenceOf } from "./failure.ts"
import type { Line } from "./lines.ts"
import { saveNote } from "./note.ts"
import { refresh } from "./refresh.ts"
import { confirmed, report, sessionNow, untold, whileBusy } from "./report.ts"
import type { Row } from "./rows.ts"
import { animals, named, sentence } from "./sentence.ts"
import { isRefused } from "./session.ts"
import { now, type Session, update } from "./state.ts"
import { statusWord } from "./status.ts"
import { bringAllBack, oneAct, removeAll } from "./together.ts"
import { changeOnce, createOnce } from "./until-known.ts"

export type Action = "sell" | "reserve" | "complete" | "note" | "cancel" | "return" | "edit" | "remove" | "restore"

/** Returns a row's actions. Those that the service would refuse are left out, as far as the row shows it. */
export const actionsOf = ({ pet: { status }, order, isRemoved }: Line): ReadonlyArray<Action> => {
  if (isRemoved) return ["restore"]
  if (order !== undefined) return ["complete", "note", "edit", "cancel"]
  return status === "sold" ? ["edit", "return", "remove"] : ["sell", "reserve", "edit", "remove"]
}

interface Done {
  readonly content: ComponentChildren
  readonly undo?: () => Promise<void>
  /** Saves a note with the reservation. */
  readonly note?: (text: string) => Promise<void>
}

/** Makes a change. Returns `undefined` if there is nothing to report, such as after the user declined. */
type Work = (session: Session) => Promise<Done | undefined>

/** A failure in the words of an action, with the failure of the request as its cause. */
class Explained extends Error {
  readonly content: ComponentChildren
  constructor(content: ComponentChildren, cause?: unknown) {
    super("", { cause })
    this.content = content
  }
}

/** Changes a pet, unless it is being changed already, and reports what was done. */
const perform = async ({ id, name }: Pet, work: Work): Promise<void> => {
  const session = sessionNow()
  await whileBusy(id, async () => {
    try {
      const done = await work(session)
      if (done !== undefined) report(done.content, { ...done, petId: id })
    } catch (thrown) {
      if (session.signal.aborted) return
      const isExplained = thrown instanceof Explained
      report(isExplained ? thrown.content : sentence`${named(name)}: ${sentenceOf(thrown)}`, { kind: "failed" })
      isRefused(isExplained ? thrown.cause : thrown)
    }
    await refresh()
  })
}

const placeOrder = ({ petstore, signal }: Session, { id, name }: Pet, headers = {}): Promise<Order> =>
  untold(sentence`${named(name)} is reserved`, async (isUnknown) => {
    const create = (options: CreateOptions) => petstore.orders.create({ petId: id }, { ...options, headers })
    return (await createOnce(create, isUnknown, signal)).value
  })

const cancelOrder =
  ({ name }: Pet, { id }: Order): Work =>
  async ({ petstore, signal }) => {
    await petstore.orders.cancel(id, { signal })
    return { content: sentence`Cancelled the reservation of ${named(name)}. It is for sale again.` }
  }

const returnOrder =
  ({ name }: Pet, id: bigint): Work =>
  async ({ petstore, signal }) => {
    await petstore.orders.return(id, { signal })
    return { content: sentence`Took back ${named(name)}. It is for sale again.` }
  }

/** Makes a pet available, unless it has changed. */
const offer = (session: Session, { value, etag }: Result<Pet>): Promise<void> =>
  untold(sentence`${named(value.name)} is for sale`, (isUnknown) =>
    correct(session, value.id, etag, { status: "available" }, isUnknown),
  )

/** Makes a pet available that is on hold or has no status, unless it has become something else since the row showed it. */
const offerFirst = async (session: Session, { id, name, status }: Pet): Promise<void> => {
  if (status === "available") return
  const result = await session.petstore.getPet(id, { signal: session.signal })
  if (result.value.status === status) return offer(session, result)
  if (result.value.status !== "available")
    throw new Explained(sentence`${named(name)} has been changed since: look at the animal, then decide.`)
}

/** Takes an order back, and the offer before it. */
const undoOrder = async (pet: Pet, work: Work): Promise<void> => {
  await perform(pet, work)
  if (pet.status !== "available") await undoEdit(pet, { ...pet, status: "available" })
}

/** Saves the note for a new reservation, unless another person has written one meanwhile. */
const noteOrder =
  (pet: Pet, { id }: Order, text: string, undo: () => Promise<void>): Work =>
  async (session) => {
    const result = await session.petstore.orders.get(id, { signal: session.signal })
    const { note = "" } = result.value
    if (note !== "") throw new Explained(sentence`The note for ${named(pet.name)} is ${named(note)} by now. Yours was not saved.`)
    await saveNote(session, pet, result, text)
    return { content: sentence`Reserved ${named(pet.name)}: ${named(text)}.`, undo }
  }

const reserve: RowAction = async (session, { pet }) => {
  await offerFirst(session, pet)
  const order = await placeOrder(session, pet)
  const content = sentence`Reserved ${named(pet.name)}.`
  const undo = () => undoOrder(pet, cancelOrder(pet, order))
  const note = (text: string) => perform(pet, noteOrder(pet, order, text, undo))
  return { content, undo, note }
}

/** Asks for confirmation, then places an order and completes it. If completing fails, the pet stays reserved. */
const sell: RowAction = async (session, { pet }) => {
  const name = named(pet.name)
  const but = pet.status === "available" ? "" : `, which ${pet.status === undefined ? "has" : "is"} ${statusWord(pet.status)}`
  if (!(await confirmed(sentence`Sell ${name}, animal ${pet.id}${but}?`, "Sell", session.signal, { isUndoable: true })))
    return undefined
  await offerFirst(session, pet)
  const headers = oneAct()
  const { id } = await placeOrder(session, pet, headers)
  try {
    await session.petstore.orders.complete(id, { signal: session.signal, headers })
  } catch (thrown) {
    const sold = isUnavailable(thrown) ? "the outcome of the sale is not known yet" : "has not been sold"
    throw new Explained(sentence`${name} is reserved, but ${sold}: ${sentenceOf(thrown)}`, thrown)
  }
  return { content: sentence`Sold ${name}.`, undo: () => undoOrder(pet, returnOrder(pet, id)) }
}

/** Asks for confirmation, then completes the order that holds the pet. */
const complete: RowAction = async ({ petstore, signal }, { pet, order }) => {
  const name = named(pet.name)
  const note = order?.note ?? ""
  const question = sentence`Sell ${name}, animal ${pet.id}, which is reserved${note === "" ? "" : sentence`: ${named(note)}`}?`
  if (order === undefined || !(await confirmed(question, "Sell", signal, { isUndoable: true }))) return undefined
  await petstore.orders.complete(order.id, { signal })
  const undo = () => perform(pet, returnOrder(pet, order.id))
  return { content: sentence`Sold ${name}.`, undo }
}

/** Asks for confirmation, then cancels the order that holds the pet. */
const cancel: RowAction = async (session, { pet, order }) => {
  const question = sentence`Cancel the reservation of ${named(pet.name)}, animal ${pet.id}?`
  if (order === undefined || !(await confirmed(question, "Cancel the reservation", session.signal))) return undefined
  return cancelOrder(pet, order)(session)
}

/** The order with which a pet was sold last. */
const soldWith = async ({ petstore, signal }: Session, petId: bigint): Promise<Order | undefined> => {
  const { value } = await petstore.orders.list({ petId, status: "completed", order: "desc", limit: 1 }, { signal })
  return value.items[0]
}

/** Asks for confirmation, then takes back the order with which the pet was sold. A pet that was sold elsewhere becomes available. */
const takeBack: RowAction = async (session, { pet }) => {
  const { id } = pet
  const order = await soldWith(session, id)
  if (order !== undefined) {
    if (!(await confirmed(sentence`Take back ${named(pet.name)}, animal ${id}?`, "Take back", session.signal))) return undefined
    return returnOrder(pet, order.id)(session)
  }
  const result = await session.petstore.getPet(id, { signal: session.signal })
  const { value } = result
  const name = named(value.name)
  const question = sentence`${name}, animal ${id}, was not sold on this page. Offer it for sale?`
  if (!(await confirmed(question, "Offer for sale", session.signal))) return undefined
  await offer(session, result)
  return { content: sentence`${name} is for sale.`, undo: () => undoEdit(value, { ...value, status: "available" }) }
}

/** Opens the form with the note of the order that holds the pet. */
const note: RowAction = async ({ petstore, signal }, { pet, order }) => {
  if (order === undefined) return undefined
  const noted = await petstore.orders.get(order.id, { signal })
  if (now().dialog === undefined) update({ dialog: "note", noting: { pet, result: noted } })
  return undefined
}

/** Asks for confirmation, then removes the pet if it has not changed. */
const remove: RowAction = async ({ petstore, signal }, { pet: { id } }) => {
  const { value, etag } = await petstore.getPet(id, { signal })
  const name = named(value.name)
  if (!(await confirmed(sentence`Remove ${name}, animal ${id}?`, "Remove", signal))) return undefined
  const options = { signal, ifMatch: etag }
  const isMade = async (refusal: unknown) => hasCode(refusal, "pet_not_found")
  await untold(sentence`${name} was removed`, (isUnknown) =>
    changeOnce(() => petstore.removePet(id, options), isMade, isUnknown, signal),
  )
  return { content: sentence`Removed ${name}, animal ${id}.`, undo: () => run("restore", { pet: value }) }
}

/** Brings a removed pet back as it was. */
const restore: RowAction = async ({ petstore, signal }, { pet: { id } }) => {
  const { value } = await petstore.restorePet(id, { signal })
  return { content: sentence`${named(value.name)} is back as animal ${id}.` }
}

/** Opens the form with the pet as it is now, unless the user has opened another dialog in the meantime. */
const edit: RowAction = async (session, { pet, order }) => {
  const { petstore, signal } = session
  const result = await petstore.getPet(pet.id, { signal })
  const sold = result.value.status === "sold" ? await soldWith(session, pet.id) : undefined
  if (now().dialog === undefined && now().questions.length === 0) {
    update({ dialog: "edit", editing: { result, pet, order: order ?? sold } })
  }
  return undefined
}

type RowAction = (session: Session, row: Row) => ReturnType<Work>

const rowActions: Readonly<Record<Action, RowAction>> = {
  reserve,
  sell,
  complete,
  note,
  cancel,
  return: takeBack,
  remove,
  restore,
  edit,
}

export const run = (action: Action, row: Row): Promise<void> => perform(row.pet, (session) => rowActions[action](session, row))

/** Takes an edit back, unless another person has changed the pet since. */
export const undoEdit = (before: Pet, after: NewPet): Promise<void> =>
  perform(before, async (session) => {
    const { petstore, signal } = session
    const name = named(before.name)
    const { value, etag } = await petstore.getPet(before.id, { signal })
    if (Object.keys(correctionOf(value, after)).length > 0)
      throw new Explained(sentence`${name} has been changed since. Nothing was undone: look at the animal, then decide.`)
    await untold(sentence`the edit of ${name} was undone`, (isUnknown) =>
      correct(session, before.id, etag, correctionOf(after, before), isUnknown),
    )
    return { content: sentence`Undone: ${name} is as it was before.` }
  })

/** Returns how to take a change of many pets back, or `undefined` if it cannot be. */
export const undoTogether = (changes: ReadonlyArray<Change>): (() => Promise<void>) | undefined => {
  const ofAll = (side: "before" | "after") => changes.toReversed().flatMap((change) => change[side]?.pet ?? [])
  const operation = changes[0]?.operation
  if (operation === "removePet") return () => bringAllBack(ofAll("before"))
  if (operation !== "createPet" && operation !== "restorePet") return undefined
  return async () => {
    const question = `Remove the ${animals(changes.length)} of this delivery, except those that were sold, reserved or changed since?`
    if (await confirmed(question, "Remove", sessionNow().signal)) await removeAll(ofAll("after"))
  }
}

/** Returns how to take a change back, or `undefined` if it cannot be. Nothing is taken back if something else happened since. */
export const undoOf = ({ operation, before, after }: Change): (() => Promise<void>) | undefined => {
  const [was, is] = [before?.pet, after?.pet]
  const order = after?.order
  if (operation === "removePet" && was !== undefined) return () => run("restore", { pet: was })
  if (is === undefined) return undefined
  if (operation === "createOrder" && order !== undefined) return () => run("cancel", { pet: is, order })
  if (operation === "completeOrder") return () => run("return", { pet: is })
  return operation === "correctPet" && was !== undefined ? () => undoEdit(was, is) : undefined
}
