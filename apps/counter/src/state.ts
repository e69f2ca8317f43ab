/** Everything that the page shows. The view is a function of it, and is drawn again whenever it changes. */
import type { Category, Change, Client, Inventory, Me, Order, Pet, Result } from "@petstore/client"
import type { ComponentChildren } from "preact"
import { type Line, type Lines, noLines } from "./lines.ts"
import { type Place, placeNow } from "./place.ts"
import type { Row } from "./rows.ts"

/** A signed-in user's session. */
export interface Session {
  readonly petstore: Client
  /** Aborted when the user signs out. */
  readonly signal: AbortSignal
}

export interface Message {
  readonly content: ComponentChildren
  readonly kind: "done" | "failed" | "waiting"
  /** Takes the reported change back. */
  readonly undo: (() => Promise<void>) | undefined
  /** Saves a note with the reported reservation. */
  readonly note: ((text: string) => Promise<void>) | undefined
  /** The pets for which labels may be printed. */
  readonly labels: ReadonlyArray<Pet> | undefined
  /** The pet that the message is about. */
  readonly petId: bigint | undefined
}

export interface Question {
  readonly content: ComponentChildren
  /** The label of the button that means yes. */
  readonly yes: string
  /** Whether the focus begins on that button. */
  readonly isUndoable: boolean
  readonly answer: (isYes: boolean) => void
}

/** The pet to correct, with the order that holds it or with which it was sold. */
export interface Editing extends Row {
  /** The pet as the form shows it. */
  readonly result: Result<Pet>
}

/** The order whose note the form shows. */
export interface Noting {
  readonly pet: Pet
  readonly result: Result<Order>
}

export interface Printing {
  readonly kind: "list" | "by category" | "labels of the page" | "labels"
  readonly rows: ReadonlyArray<Row>
  /** Which rows are not on it. */
  readonly note: string
}

export interface State {
  readonly session: Session | undefined
  /** Whether there is a list: from signing in until signing out, also while another key is asked for. */
  readonly isOpen: boolean
  readonly isSigningIn: boolean
  /** Why the user has to sign in. */
  readonly problem: string
  /** Whose key is in use. */
  readonly me: Me | undefined
  readonly place: Place
  /** What the rows answer: `questionOf` their place, or `undefined` before there are any. */
  readonly answered: string | undefined
  readonly lines: Lines
  /** The line of the open animal, or `undefined` before it is read. */
  readonly opened: Line | undefined
  /** The number that is searched for, if its animal was removed. */
  readonly removed: bigint | undefined
  readonly inventory: Inventory | undefined
  readonly categories: ReadonlyArray<Category>
  /** What happened since midnight of this browser's day, newest first. */
  readonly today: ReadonlyArray<Change>
  /** When the data was read. */
  readonly freshAt: Date | undefined
  /** Why the data is old. */
  readonly trouble: string
  /** The pets that an action is changing. */
  readonly busy: ReadonlySet<bigint>
  /** The changes whose outcome is not known yet. */
  readonly unknown: ReadonlySet<ComponentChildren>
  /** The message that is shown over the page. */
  readonly latest: Message | undefined
  readonly questions: ReadonlyArray<Question>
  readonly dialog: "add" | "delivery" | "edit" | "note" | "categories" | "print" | undefined
  readonly editing: Editing | undefined
  readonly noting: Noting | undefined
  /** What is on paper, while it is printed. */
  readonly printing: Printing | undefined
}

const signedOut = (): State => ({
  session: undefined,
  isOpen: false,
  isSigningIn: false,
  problem: "",
  me: undefined,
  place: placeNow(),
  answered: undefined,
  lines: noLines,
  opened: undefined,
  removed: undefined,
  inventory: undefined,
  categories: [],
  today: [],
  freshAt: undefined,
  trouble: "",
  busy: new Set(),
  unknown: new Set(),
  latest: undefined,
  questions: [],
  dialog: undefined,
  editing: undefined,
  noting: undefined,
  printing: undefined,
})

/** The dialogs that may lie over each other. */
export type Level = "pet" | "form" | "question"

/** Whether the page of the animal is open. */
export const isPetOpen = ({ session, place, opened, dialog }: State): boolean =>
  session !== undefined && opened !== undefined && opened.pet.id === place.pet && dialog === undefined

/** The dialog that lies on top. */
export const topOf = (shown: State): Level | undefined => {
  if (shown.questions.length > 0) return "question"
  if (shown.session !== undefined && shown.dialog !== undefined) return "form"
  return isPetOpen(shown) ? "pet" : undefined
}

let state = signedOut()
let draw = (_state: State): void => {}

export const now = (): State => state

export const update = (change: Partial<State>): void => {
  state = { ...state, ...change }
  draw(state)
}

/** Forgets everything, so that the next user of this device cannot read it. */
export const forget = (): void => update(signedOut())

/** Draws the state now, and whenever it changes. */
export const show = (drawState: (state: State) => void): void => {
  draw = drawState
  draw(state)
}
