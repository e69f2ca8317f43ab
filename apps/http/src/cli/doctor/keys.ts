/** Checks the API keys and the clock against the store's content. */
import { type Account, type ApiKey, type Deployment, isUsable } from "@petstore/core"
import { Option } from "effect"
import { type EndingKey, endingKeys } from "../../process/ending-keys.js"
import { enabledIn } from "../../process/safety.js"
import { nameOf } from "../keys.js"
import { counted } from "../output.js"
import { createKey } from "../pasted.js"
import { type Finding, ok, problem, warning } from "./finding.js"

/** The tolerated difference between the clocks of two machines. */
const clockToleranceMillis = 60_000

const endingFinding = ({ key, end, successor }: EndingKey): Finding => {
  const at = end.toISOString()
  if (successor === undefined) {
    return warning("keys", `API key ${nameOf(key)} expires at ${at}.`, `petstore keys rotate ${key.id}`)
  }
  const says = `API key ${nameOf(key)} was rotated, and is accepted until ${at}`
  const isUsed = Option.exists(key.lastUsedOn, (day) => day >= successor.createdAt.toISOString().slice(0, 10))
  return isUsed
    ? warning("keys", `${says}. It is still in use.`, `Its client has to switch to ${successor.id} before then.`)
    : ok("keys", `${says}. It has not been used since ${successor.id} was created.`)
}

/** Findings about the keys in a store of this deployment. `accounts` is sorted, oldest first. */
export const keyFindings = (keys: ReadonlyArray<ApiKey>, accounts: ReadonlyArray<Account>, deployment: Deployment, now: Date) => {
  const enabled = enabledIn(accounts)
  const all = keys.filter((key) => isUsable(key, now) && enabled(key))
  const usable = all.filter((key) => key.deployment === deployment)
  const foreign = all.filter((key) => key.deployment !== deployment)
  const accepted =
    usable.length === 0
      ? problem("keys", "No API key is accepted: every call gets a 401.", createKey(accounts[0]?.name))
      : ok("keys", `${counted(usable.length, `${deployment} API key`)} ${usable.length === 1 ? "is" : "are"} accepted.`)
  const ending = endingKeys(usable, now).map(endingFinding)
  if (foreign.length === 0) return [accepted, ...ending]
  const is = deployment === "production" && foreign.some((key) => key.deployment === "development") ? problem : warning
  const [belong, them] = foreign.length === 1 ? ["belongs", "it"] : ["belong", "them"]
  const says = `${counted(foreign.length, "API key")} ${belong} to another deployment, so ${deployment} refuses ${them}.`
  return [accepted, is("keys", says, `petstore keys revoke ${foreign.map(({ id }) => id).join(" ")}`), ...ending]
}

/** Whether the clock is behind the store's timestamps. If so, the service would accept keys for too long. */
export const clockFinding = (keys: ReadonlyArray<ApiKey>, accounts: ReadonlyArray<Account>, now: Date): Finding => {
  const timestamps = [...keys, ...accounts].map(({ createdAt }) => createdAt.getTime())
  // Only the day of a key's last use is stored. That day shows that the clock is behind only if the day begins in the future.
  const uses = keys.flatMap(({ lastUsedOn }) => Option.toArray(lastUsedOn)).map((day) => Date.parse(day))
  const newest = Math.max(0, ...timestamps, ...uses)
  const behindMillis = newest - now.getTime()
  if (behindMillis <= clockToleranceMillis)
    return ok("clock", `It is ${now.toISOString()} here, which agrees with the timestamps of accounts and keys.`)
  const says = `It is ${now.toISOString()} here, but the store has a timestamp of ${new Date(newest).toISOString()}.`
  return problem("clock", says, "Set the clock: timedatectl")
}
