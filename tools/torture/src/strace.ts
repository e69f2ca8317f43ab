/** Makes a running process's system calls fail or slow down, with strace's fault injection. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"

/** Why fault injection is impossible here, or `undefined` if it works. */
export const noStrace = (): string | undefined => {
  const { error, status } = spawnSync("strace", ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"])
  if (error !== undefined) return "strace is not installed (Debian: apt-get install strace)"
  return status === 0 ? undefined : "strace is not allowed to trace processes here"
}

/** How long strace may take to detach from the processes, in ms. */
const endingMillis = 5_000

/**
 * Injects faults into processes and all their threads until the returned function is called. That function detaches strace and
 * returns the number of affected calls. If all processes were killed, it waits until they have exited.
 *
 * @param files   only calls on these files are affected
 * @param inject  in strace's syntax: `fsync,fdatasync:error=EIO:when=3+`
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
    ended.then(() => reject(new Error(`strace exited: ${said}`)), reject)
  })
  return async (areKilled: boolean): Promise<number> => {
    // On a signal, strace detaches from the processes and then dies from the signal. If the processes were killed, strace exits
    // on its own after them. If strace detaches from a process while only some threads have exited, strace waits forever.
    if (!areKilled) strace.kill("SIGINT")
    const stuck = setTimeout(() => strace.kill("SIGKILL"), endingMillis)
    await ended
    clearTimeout(stuck)
    const changed = [...readFileSync(log, "latin1").matchAll(/\((?:INJECTED|DELAYED)\)/g)].length
    rmSync(log)
    return changed
  }
}
