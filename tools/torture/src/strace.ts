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

/** How long strace may take to detach from the process, in ms. */
const endingMillis = 5_000

/**
 * Injects faults into a process and all its threads until the returned function is called. That function detaches strace and
 * returns the number of affected calls. If the process was killed, it waits until the process has exited.
 *
 * @param files   only calls on these files are affected
 * @param inject  in strace's syntax: `fsync,fdatasync:error=EIO:when=3+`
 */
export const tamper = async (pid: number, files: ReadonlyArray<string>, inject: string) => {
  const log = `${files[0]}.strace`
  const paths = files.filter((file) => existsSync(file)).flatMap((file) => ["-P", file])
  const args = ["-f", "-o", log, ...paths, "-e", `inject=${inject}`, "-p", String(pid)]
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
  return async (isKilled: boolean): Promise<number> => {
    // On a signal, strace detaches from the process and then dies from the signal. If the process was killed, strace exits on
    // its own after it. If strace detaches while only some threads have exited, strace waits forever.
    if (!isKilled) strace.kill("SIGINT")
    const stuck = setTimeout(() => strace.kill("SIGKILL"), endingMillis)
    await ended
    clearTimeout(stuck)
    const changed = [...readFileSync(log, "latin1").matchAll(/\((?:INJECTED|DELAYED)\)/g)].length
    rmSync(log)
    return changed
  }
}
