/** The whole page, as a function of the state. */
import { enableThemeToggle } from "@petstore/pages/theme-toggle"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { AddDialog } from "./add-dialog.tsx"
import { CategoriesDialog } from "./categories-dialog.tsx"
import { clock } from "./clock.ts"
import { DeliveryDialog } from "./delivery-dialog.tsx"
import { Dialog } from "./dialog.tsx"
import { EditDialog } from "./edit-dialog.tsx"
import { List } from "./list.tsx"
import { NoteDialog } from "./note-dialog.tsx"
import { Notices } from "./notices.tsx"
import { PetDialog } from "./pet-dialog.tsx"
import { useSettled } from "./press.ts"
import { Paper, PrintDialog } from "./print.tsx"
import { signIn, signOut } from "./sign-in.ts"
import { type State, topOf } from "./state.ts"
import { Today } from "./today.tsx"

interface Props {
  readonly state: State
}

const Bar = ({ state: { session, isOpen, freshAt, me } }: Props) => {
  useEffect(enableThemeToggle, [])
  return (
    <header class="bar">
      <p class="brand">
        Pet store counter <span class="pill">{document.documentElement.dataset["deployment"]}</span>
      </p>
      <div class="bar-tools">
        <p class="fresh" data-fresh>
          {session !== undefined && freshAt !== undefined && `As of ${clock.format(freshAt)}`}
        </p>
        <button class="icon" type="button" data-theme-toggle aria-label="Dark theme">
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path fill="currentColor" d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z" />
          </svg>
        </button>
        {session !== undefined && me !== undefined && (
          <p class="whose" data-whose>
            <bdi>{me.key.label === undefined ? me.account.name : `${me.account.name}, ${me.key.label}`}</bdi>
          </p>
        )}
        {isOpen && session !== undefined && (
          <button class="secondary" type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}

const SignIn = ({ state: { problem, isSigningIn } }: Props) => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <section class="sign-in" data-sign-in aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">Sign in</h1>
      <form
        class="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget)
          void signIn(String(given.get("key")).trim(), given.has("keep"))
        }}
      >
        <label for="key">API key</label>
        <input
          ref={field}
          id="key"
          name="key"
          type="text"
          class="masked"
          autocomplete="off"
          spellcheck={false}
          placeholder="pst_…"
          aria-describedby="key-note key-problem"
        />
        <p class="note" id="key-note">
          A key is a password that begins with pst_. It is yours: the history shows its name beside all that you do. It is sent
          only to this service. Other tabs of this page use it too, and closing the last one forgets it.
        </p>
        <label class="check">
          <input type="checkbox" name="keep" /> Stay signed in on this device
        </label>
        <p class="problem" id="key-problem" data-sign-in-problem role="alert">
          {problem}
        </p>
        <button class="primary" type="submit">
          {isSigningIn ? "Signing in…" : "Sign in"}
        </button>
      </form>
      <p class="note">
        You have no key? The person who runs this service makes one for you: <a href="docs#start">how keys are made</a>.
      </p>
    </section>
  )
}

const numbers = [
  ["available", "For sale"],
  ["pending", "Reserved or on hold"],
  ["sold", "Sold"],
  ["withoutStatus", "No status"],
  ["total", "Total"],
] as const

const Numbers = ({ state: { inventory } }: Props) => (
  <section aria-labelledby="numbers-title">
    <h2 id="numbers-title">Animals</h2>
    <dl class="numbers" data-numbers>
      {numbers.map(([name, title]) => (
        <div key={name} class={name === "total" ? "total card" : "card"}>
          <dt>{title}</dt>
          <dd data-number={name}>{inventory?.[name].toLocaleString() ?? "–"}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** Asks the oldest question. Its button waits, so that the press that opened the dialog is not its answer. */
const Asking = ({ state: { questions } }: Props) => {
  const [question] = questions
  const isSettled = useSettled(question)
  const yes = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (question?.isUndoable) yes.current?.focus()
  }, [question])
  const answer = (isYes: boolean) => question?.answer(isYes)
  return (
    <Dialog isOpen={question !== undefined} title="question" role="alertdialog" level="question" onClose={() => answer(false)}>
      <p id="question" data-question>
        {question?.content}
      </p>
      <div class="choices">
        <button class="secondary" type="button" onClick={() => answer(false)}>
          Go back
        </button>
        <button ref={yes} class="primary" type="button" aria-disabled={!isSettled} onClick={() => answer(true)}>
          {question?.yes}
        </button>
      </div>
    </Dialog>
  )
}

export const Page = ({ state }: Props) => {
  const { session, isOpen, me } = state
  const isSignedIn = session !== undefined
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (isSignedIn) main.current?.focus()
  }, [isSignedIn])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Bar state={state} />
      <main id="main" tabIndex={-1} ref={main}>
        {!isSignedIn && <SignIn state={state} />}
        {isOpen && (
          <div data-counter hidden={!isSignedIn}>
            <h1 class="hidden">The store</h1>
            <p class="notice" data-read-only role="status">
              {me?.key.readOnly &&
                "This key is read-only. To add, sell, edit or remove animals, sign out and sign in with another key."}
            </p>
            <Numbers state={state} />
            <List state={state} />
            <Today state={state} />
            <PetDialog state={state} />
            <AddDialog state={state} />
            <DeliveryDialog state={state} />
            <EditDialog state={state} />
            <NoteDialog state={state} />
            <CategoriesDialog state={state} />
            <PrintDialog state={state} />
          </div>
        )}
        {isSignedIn && <Paper state={state} />}
        <Asking state={state} />
        <Notices state={state} isOnTop={topOf(state) === undefined} />
      </main>
    </>
  )
}
