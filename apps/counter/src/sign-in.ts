/** Signing in and out. */
import { isUnavailable, sentenceOf } from "./failure.ts"
import { keepPlace, start } from "./place.ts"
import { confirmed } from "./report.ts"
import { connect, endSession, keptKey, openSession } from "./session.ts"
import { forget, now, update } from "./state.ts"
import { watch } from "./watch.ts"

/** What the tabs of this browser tell each other: a new one asks for the key, and signing out counts for all. */
type Word = { readonly kind: "ask" | "signed out" } | { readonly kind: "key"; readonly apiKey: string }

const tabs = new BroadcastChannel("counter")

const tell = (word: Word): void => tabs.postMessage(word)

/** The pause between attempts to sign in while the service is unreachable, in ms. */
const againMillis = 3_000

/** Counts the attempts to sign in, because only the latest attempt may open the list. */
let tries = 0

/** Opens the list if the service accepts the key. Repeats the attempt while the service is unreachable. */
export const signIn = async (apiKey: string, isKept: boolean): Promise<void> => {
  tries += 1
  const mine = tries
  if (apiKey === "") return update({ problem: "Paste your API key first." })
  update({ problem: "", isSigningIn: true })
  try {
    const petstore = connect(apiKey)
    const { value: me } = await petstore.me()
    if (mine !== tries) return
    const session = openSession(petstore, apiKey, isKept)
    update({ session, me, isOpen: true, isSigningIn: false })
    await watch(session)
  } catch (thrown) {
    if (mine !== tries) return
    update({ problem: sentenceOf(thrown), isSigningIn: false })
    if (isUnavailable(thrown)) setTimeout(() => mine === tries && void signIn(apiKey, isKept), againMillis)
  }
}

/** Signs in with the key that the browser keeps or that another tab has, if there is one. */
export const signInAgain = (): void => {
  const { apiKey, isKept } = keptKey()
  if (apiKey === "") tell({ kind: "ask" })
  else void signIn(apiKey, isKept)
}

const leave = (problem: string): void => {
  tries += 1
  endSession()
  forget()
  update({ problem })
}

/** Leaves nothing in the address for the next person, such as a customer's name in the search. */
const signedOut = (problem: string): void => {
  leave(problem)
  keepPlace(start, "replace")
  update({ place: start })
}

/** Signs out in every tab of this browser. Asks first if the outcome of a change is not known. */
export const signOut = async (): Promise<void> => {
  for (const what of now().unknown) {
    const question = ["It is not known yet whether ", what, ". If you sign out, this page stops trying and cannot tell you."]
    if (!(await confirmed(question, "Sign out"))) return
  }
  signedOut("")
  tell({ kind: "signed out" })
}

tabs.onmessage = ({ data: word }: MessageEvent<Word>) => {
  const { session, isOpen, problem } = now()
  if (word.kind === "signed out") signedOut(isOpen ? "You have signed out in another tab." : problem)
  else if (word.kind === "ask" && session !== undefined) tell({ kind: "key", apiKey: keptKey().apiKey })
  // Only a tab that has just opened takes a key: not one whose user is about to type another.
  else if (word.kind === "key" && tries === 0) void signIn(word.apiKey, false)
}
