/**
 * Loaded into the service before its own code: an adjustable clock.
 *
 * Needs no package and no privilege. `TORTURE_CLOCK` names a file with the
 * offset in ms; SIGUSR2 announces a change. Only `Date` is moved: timers run on a
 * clock that no administrator can set, as on a real machine.
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
