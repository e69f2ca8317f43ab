/**
 * An adjustable clock, loaded before the service's own code. It needs no package or privilege. `TORTURE_CLOCK` names a file with
 * the offset in ms, and SIGUSR2 announces a change. Shifts only `Date`: no administrator can set the clock of real timers.
 */
import { readFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

// biome-ignore lint/style/noProcessEnv: this module is loaded into another program, which reads its own settings
const file = process.env["TORTURE_CLOCK"]

if (file !== undefined && isMainThread) {
  const readOffset = (): number => Number(readFileSync(file, "utf8"))
  let offsetMillis = readOffset()
  process.on("SIGUSR2", () => {
    offsetMillis = readOffset()
  })
  const RealDate = Date
  const now = () => RealDate.now() + offsetMillis
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
  })
}
