/** Makes system calls of a running process fail or take long, by the fault injection of strace. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"

/** Why system calls cannot be tampered with here; `undefined` if they can. */
export const noStrace = (): string | undefined => {
  const { error, status } = spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"])
  if (error !== undefined) return "strace is not installed (Debian: apt-get install strace)"
  return status === 0 ? undefined : "strace may not trace processes here"
}

/** How long strace has for letting go of the processes, in ms. */
const endingMillis = 5_000

/**
 * Tampers with processes and all their threads until the function is called that it gives. That leaves them alone again,
 * or sees the end of them if all were killed, and gives how many calls were changed.
 *
 * @param files  only calls on these files are touched
 * @param inject  as strace spells it: `fsync,fdatasync:error=EIO:when=3+`
 */
export const tamper = async (pids: ReadonlyArray<number>, files: ReadonlyArray<string>, inject: string) => {
  const log = `${files[0]}.strace`
  const paths = files.filter((file) => existsSync(file)).flatMap((file) => ["-P", file])
  const args = ["-f", "-o", log, ...paths, "-e", `inject=${inject}`, ...pids.flatMap((pid) => ["-p", String(pid)])]
  const strace = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] })
  const ended = once(strace, "exit")
  let said = ""
  await new Promise<void>((resolve, reject) => {
    strace.stderr.on("data", (bytes: Buffer) => {
      said += bytes.toString()
      if (said.includes("attached")) resolve()
    })
    ended.then(() => reject(new Error(`strace ended: ${said}`)), reject)
  })
  return async (areKilled: boolean): Promise<number> => {
    // strace lets go of the processes and then dies of the same signal; of those that were killed it sees the end and then
    // ends by itself. Told to let go of one whose threads are not all gone, it waits for it for ever.
    if (!areKilled) strace.kill("SIGINT")
    const stuck = setTimeout(() => strace.kill("SIGKILL"), endingMillis)
    await ended
    clearTimeout(stuck)
    const changed = [...readFileSync(log, "latin1").matchAll(/\((?:INJECTED|DELAYED)\)/g)].length
    rmSync(log)
    return changed
  }
}
