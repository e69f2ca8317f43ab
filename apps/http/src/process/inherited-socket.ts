/** The listening socket that systemd has opened for this process: sd_listen_fds(3). */
import cluster from "node:cluster"

/** The number of the first inherited file descriptor. */
const first = 3

/**
 * Returns the file descriptor of the socket, if there is one, and removes the variables, so that no child process uses them. In
 * a worker, the number refers to the primary's file descriptor, and the primary has checked whose socket it is.
 */
// biome-ignore lint/style/noProcessEnv: these variables are not settings
export const takeInheritedSocket = (environment: NodeJS.ProcessEnv = process.env): number | undefined => {
  const isOurs = cluster.isWorker || environment["LISTEN_PID"] === String(process.pid)
  const isPassed = isOurs && Number(environment["LISTEN_FDS"]) > 0
  for (const name of ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]) delete environment[name]
  return isPassed ? first : undefined
}
