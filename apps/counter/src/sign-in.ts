/** Signing in and out. */
import { isUnavailable, sentenceOf } from "./failure.ts"
import { confirmed } from "./report.ts"
import { connect, endSession, keptKey, openSession } from "./session.ts"
import { forget, now, update } from "./state.ts"
import { watch } from "./watch.ts"

/** Tells the other tabs of this browser that the user has signed out. */
const tabs = new BroadcastChannel("counter-sign-out")

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

/** Signs in with the key that the browser keeps, if there is one. */
export const signInAgain = (): void => {
  const { apiKey, isKept } = keptKey()
  if (apiKey !== "") void signIn(apiKey, isKept)
}

const leave = (problem: string): void => {
  tries += 1
  endSession()
  forget()
  update({ problem })
}

/** Signs out in every tab of this browser. Asks first if the outcome of a change is not known. */
export const signOut = async (): Promise<void> => {
  for (const what of now().unknown) {
    const question = ["It is not known yet whether ", what, ". If you sign out, this page stops trying and cannot tell you."]
    if (!(await confirmed(question, "Sign out"))) return
  }
  leave("")
  tabs.postMessage("signed out")
}

tabs.onmessage = () => {
  if (now().isOpen) leave("You have signed out in another tab.")
}
