/**
 * The primary starts, replaces and stops the workers. It serves no requests itself. It accepts connections and hands them out, so
 * that no connection is lost with a worker. `docs/architecture.md` shows its states.
 */
import { type ChildProcess, fork } from "node:child_process"
import { isSea } from "node:sea"
import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "pino"
import type { Handover } from "./handover.js"
import { type Instruction, type PrimaryMessage, workerCommand, workerMessage } from "./messages.js"
import { onStopSignals } from "./signals.js"

/** How long a worker may take to start serving, in ms. */
const startMillis = 30_000
/** An exit within this many ms after a worker began to serve counts as an immediate crash. */
const youngMillis = 5_000
/** This many consecutive immediate crashes are a crash loop. */
const crashMaximum = 6
/** The wait before a worker is started again, in ms: it doubles from the first value to the last. */
const backoff = { firstMillis: 100, lastMillis: 2_000 }

/** If a signal is sent to the primary and a worker, the primary may receive it this many ms later than the worker. */
const groupMillis = 100
/** How long before the deadline the primary kills a worker that missed its own deadline, in ms. */
const killMillis = 250

interface SupervisionOptions {
  readonly workers: number
  readonly shutdownMillis: number
  readonly logger: Logger
  readonly connections: Handover
  readonly onStart: (worker: ChildProcess) => void
  /** Called once, as soon as all workers serve. */
  readonly onReady: () => void
}

/** A worker's slot. The worker changes, but the slot remains. */
interface Slot {
  readonly number: number
  worker: ChildProcess | undefined
}

/** Why supervision ended without a signal, as a sentence for the operator. */
export class SupervisionFailed extends Error {}

/** Aborts every attempt to start a worker, because the service is stopping. */
class Stopping extends Error {}

/** `starting`: not every worker has served yet. `stopping`: no worker is started, and running workers are told to stop. */
type State = "starting" | "serving" | "stopping"

export type Supervision = ReturnType<typeof supervise>

/** Runs the workers until a signal stops the service. */
export const supervise = ({ workers, shutdownMillis, logger, connections, onStart, onReady }: SupervisionOptions) => {
  const slots = Array.from({ length: workers }, (_, index): Slot => ({ number: index + 1, worker: undefined }))
  const alive = new Set<ChildProcess>()
  const ended = Promise.withResolvers<unknown>()
  let state: State = "starting"
  let crashes = 0

  /** Resolves when the worker serves. Rejects with the reason if it fails to, or with `Stopping` if the service stops first. */
  const start = (): Promise<ChildProcess> =>
    new Promise((resolve, reject) => {
      if (state === "stopping") throw new Stopping()
      // In a single executable, modules have no path, so the command takes the place of the first argument.
      const worker = isSea() ? fork(workerCommand, { execArgv: [] }) : fork(process.argv[1] ?? "", [workerCommand])
      alive.add(worker)
      onStart(worker)
      let reason: string | undefined
      const tooLate = setTimeout(() => {
        reason = `it was not ready within ${startMillis / 1000} s`
        worker.kill("SIGKILL")
      }, startMillis)
      worker.on("message", (value) => {
        const message = workerMessage(value)
        if (message?.petstore === "failed") reason = message.reason
        if (message?.petstore !== "ready") return
        clearTimeout(tooLate)
        if (state === "stopping") reject(new Stopping())
        else resolve(worker)
      })
      const end = (how: string): void => {
        clearTimeout(tooLate)
        alive.delete(worker)
        reject(state === "stopping" ? new Stopping() : new SupervisionFailed(reason ?? `it exited (${how}) before it was ready`))
      }
      worker.once("exit", (code, signal) => end(signal ?? `exit code ${code}`))
      // Either the process could not be created, or a message could not be sent to an exited worker, which `exit` also reports.
      worker.on("error", ({ message }) => worker.pid === undefined && end(message))
    })

  const retire = async (worker: ChildProcess, instruction: Instruction): Promise<void> => {
    connections.remove(worker)
    if (!alive.has(worker)) return
    const message: PrimaryMessage = { petstore: "instruction", instruction, sentAt: Date.now() }
    worker.send(message, () => {})
    // A worker meets its own deadline unless it is stuck.
    const stuckMillis =
      instruction === "stop" ? Math.max(shutdownMillis - killMillis, shutdownMillis * 0.75) : shutdownMillis + 1_000
    const stuck = setTimeout(() => worker.kill("SIGKILL"), stuckMillis)
    await new Promise((exited) => worker.once("exit", exited))
    clearTimeout(stuck)
  }

  /** The only transition to `stopping`. Tells all workers to stop. */
  const stop = (failure?: unknown): void => {
    if (state === "stopping") return
    state = "stopping"
    connections.close()
    void Promise.all([...alive].map((worker) => retire(worker, "stop"))).then(() => ended.resolve(failure))
  }

  /** Runs a task that starts workers. The task ends silently if the service stops. Any other failure stops the service. */
  const run = (work: () => Promise<void>): Promise<void> =>
    work().catch((thrown) => {
      if (!(thrown instanceof Stopping)) stop(thrown)
    })

  /** Assigns a slot to a worker that serves. The former worker may take a while to stop. */
  const occupy = (slot: Slot, worker: ChildProcess): Promise<void> => {
    const before = slot.worker
    slot.worker = worker
    const readySinceMillis = performance.now()
    connections.add(worker)
    const vacate = (): boolean => {
      if (slot.worker !== worker || state === "stopping") return false
      slot.worker = undefined
      return true
    }
    worker.on("message", (value) => {
      if (workerMessage(value)?.petstore !== "leaving" || !vacate()) return
      void retire(worker, "stop")
      setTimeout(() => {
        if (state === "stopping") return
        logger.warn({ worker: slot.number, workerPid: worker.pid }, "a worker was stopped by a signal and is being replaced")
        void run(() => refill(slot, "a signal stopped it"))
      }, groupMillis)
    })
    worker.once("exit", (code, signal) => {
      if (!vacate()) return
      const end = signal ?? `exit code ${code}`
      logger.error({ worker: slot.number, workerPid: worker.pid, end }, "a worker exited unexpectedly and is being replaced")
      crashes = performance.now() - readySinceMillis < youngMillis ? crashes + 1 : 1
      void run(() => refill(slot, `it exited (${end})`))
    })
    return before === undefined ? Promise.resolve() : retire(before, "replace")
  }

  const reasonOf = (thrown: unknown): string => {
    if (thrown instanceof Stopping) throw thrown
    return thrown instanceof Error ? thrown.message : String(thrown)
  }

  /** Starts workers for an empty slot until one serves or further attempts are hopeless. */
  const refill = async (slot: Slot, why: string): Promise<void> => {
    let reason = why
    while (slot.worker === undefined) {
      if (crashes >= crashMaximum) {
        throw new SupervisionFailed(
          `Workers exit as soon as they start (${crashes} times in a row). The last reason: ${reason}. The service is stopping.`,
        )
      }
      if (crashes > 1) await sleep(Math.min(backoff.firstMillis * 2 ** (crashes - 2), backoff.lastMillis))
      try {
        const worker = await start()
        void (slot.worker === undefined ? occupy(slot, worker) : retire(worker, "replace"))
      } catch (thrown) {
        reason = reasonOf(thrown)
        crashes += 1
        logger.error({ worker: slot.number, reason }, "a worker did not start")
      }
    }
  }

  /** Replaces the workers one after another. Each new worker serves before the old one stops. */
  const roll = async (): Promise<void> => {
    logger.info({ workers }, "replacing the workers one by one")
    for (const slot of slots) {
      try {
        const worker = await start()
        const gone = occupy(slot, worker)
        logger.info({ worker: slot.number, workerPid: worker.pid }, "a new worker is serving, and the old one is finishing")
        await gone
      } catch (thrown) {
        logger.error(
          { worker: slot.number, reason: reasonOf(thrown) },
          "the new worker did not start: the old workers keep running",
        )
        return
      }
    }
    // The last worker may have exited because the service is stopping.
    if (state === "serving") logger.info({ workers }, "every worker was replaced")
  }

  const fill = async (slot: Slot): Promise<void> => void occupy(slot, await start())

  const fillAll = async (): Promise<void> => {
    // Starts only the first worker, so that a fault that affects all workers is reported once.
    const [first, ...others] = slots
    if (first === undefined) return
    await fill(first)
    await Promise.all(others.map(fill))
    state = "serving"
    onReady()
  }

  let rolling = Promise.resolve()
  let rollsWaiting = 0
  const hangUp = (): void => {
    // A replacement that is already waiting starts after this signal, so it covers both signals.
    if (state === "stopping" || rollsWaiting > 1) return
    rollsWaiting += 1
    rolling = rolling
      .then(() => (state === "stopping" ? undefined : run(roll)))
      .finally(() => {
        rollsWaiting -= 1
      })
  }

  const killAll = (): never => {
    for (const worker of alive) worker.kill("SIGKILL")
    process.exit(1)
  }

  onStopSignals(stop, killAll)
  process.on("SIGHUP", hangUp)
  rolling = run(fillAll)

  return {
    serving: () => slots.flatMap(({ number, worker }) => (worker === undefined ? [] : [{ slot: number, worker }])),
    /** Resolves after all workers have exited, with what stopped the service: `SupervisionFailed`, a defect, or nothing. */
    ended: ended.promise,
  }
}
