/**
 * One writer for the processes that serve the same file. SQLite allows one writer at a time and has no queue for its lock, so
 * several writers would wait for each other's commits. One process holds the writer lock and listens on a socket next to the
 * file. The other processes send their writes to that process, and the writes share its transactions. Sharing affects only
 * performance: a process without a compatible writer writes by itself, under SQLite's locks. When the writer exits, the kernel
 * drops its lock and its connections, and another process takes its place.
 */
import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { relative } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Answers, batchQueue } from "../../batch-queue.js"
import { privateMode } from "../../private-file.js"
import { faultOf } from "./errors.js"
import { onFrame, sendFrame } from "./frames.js"
import { type Submit, tooManyWait, unavailableFault, waitingMaximum } from "./group-commit.js"
import type { Name } from "./one-name.js"
import { lockStore, type StoreLock, StoreLockTaken } from "./store-lock.js"
import type { Outcome, WriteCall } from "./transaction.js"

/**
 * Increment this number with every change to the arguments or results of writes, or to the messages below: `writes.test.ts`
 * shows their form. With the same number, two releases would misunderstand each other.
 */
const protocol = 6

/** The first message from each side. Only compatible processes write for each other. */
export const greetingOf = (schemaVersion: number): string => `petstore writer ${protocol}, schema ${schemaVersion}`

/** The message to the writer after the greeting: the writes of one tick. */
interface Request {
  readonly number: number
  readonly calls: ReadonlyArray<WriteCall>
}

/** A request's outcomes; `undefined` if the writer is stopping and has not executed the request. */
interface Reply {
  readonly number: number
  readonly outcomes: ReadonlyArray<Outcome> | undefined
}

/** Announces that the writer is stopping and accepts no more requests. Requests are numbered from 1. */
const endingNotice: Reply = { number: 0, outcomes: undefined }

/** Replies to another process once per commit: each message takes a system call on both sides, and a tick on the other side. */
const replyTo = (socket: Socket): ((reply: Reply) => void) => {
  let replies: Array<Reply> = []
  const send = (): void => {
    sendFrame(socket, replies)
    replies = []
  }
  return (reply) => {
    if (replies.push(reply) === 1) queueMicrotask(send)
  }
}

/**
 * How long a writer that is stopping waits for the other processes to receive the notice, in ms, because a busy machine can delay
 * them. A worker that is being replaced has the same time to close its store.
 */
const endingMillis = 1_000

/** How long a process without a writer waits before it looks for a writer again, in ms. */
const lookAgainMillis = 200

/** How long to wait for the next reply, in ms. A writer that takes longer counts as stuck. */
const replyTimeoutMillis = 5_000

/** The maximum length of a socket's name, in bytes. Linux allows 108 with the terminator. */
const nameMaximum = 100

const socketOf = (file: string): string | undefined => {
  const name = `${file}-writer`
  return [name, relative(process.cwd(), name)].find((candidate) => Buffer.byteLength(candidate) <= nameMaximum)
}

/** A process's role: it writes for the other processes, or another process writes for it. */
interface Role {
  readonly submit: Submit
  /** Gives up the role once no write is pending. */
  readonly leave: () => Promise<void>
}

/** Whether a process works `alone`, `follows` a writer, or `serves`: it also becomes the writer if no other process is. */
export type Sharing = "alone" | "follows" | "serves"

/** How long a command waits for a writer's greeting before it writes by itself, in ms. */
const greetingMillis = 1_000

/** Shares a writer with the processes that use `file`, until the scope closes. `submitHere` writes in this process. */
export const shareWriter = (
  file: string,
  name: Name,
  schemaVersion: number,
  submitHere: Submit,
  sharing: Sharing,
): Effect.Effect<Submit, never, Scope.Scope> => {
  const socketName = sharing === "alone" ? undefined : socketOf(file)
  if (socketName === undefined) return Effect.succeed(submitHere)
  return Effect.acquireRelease(
    Effect.sync(() => takeRole(file, socketName, name, greetingOf(schemaVersion), submitHere, sharing === "serves")),
    ({ leave }) => Effect.promise(leave),
  ).pipe(
    // A command waits, because it may have only one write. A service does not wait, because it can write either way.
    Effect.tap(({ settled }) => (sharing === "serves" ? Effect.void : Effect.timeoutOption(settled, greetingMillis))),
    Effect.map(({ submit }) => submit),
  )
}

/** Determines this process's role, now and when the writer changes. `settled` resolves once it is known if a writer exists. */
const takeRole = (
  file: string,
  name: string,
  nameOfFile: Name,
  greeting: string,
  submitHere: Submit,
  mayWrite: boolean,
): Role & { readonly settled: Effect.Effect<void> } => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const alone: Role = { submit: submitHere, leave: async () => {} }
  let role = alone
  let hasLeft = false
  let stopLooking = (): void => {}

  const become = (next: Role): void => {
    stopLooking = () => {}
    role = next
    resolve()
  }

  const lookAgain = (): void => {
    become(alone)
    if (hasLeft) return
    const timer = setTimeout(join, lookAgainMillis).unref()
    stopLooking = () => clearTimeout(timer)
  }

  const follow = (): void => {
    stopLooking = findWriter(name, nameOfFile, greeting, alone, become, (wasOpen) => {
      if (!wasOpen) return lookAgain()
      become(alone)
      join()
    })
  }

  const join = () => {
    if (hasLeft) return
    if (!mayWrite) return follow()
    let lock: StoreLock
    try {
      lock = lockStore(file, "writer", 0)
    } catch (thrown) {
      return thrown instanceof StoreLockTaken ? follow() : lookAgain()
    }
    become(writeForOthers(name, greeting, submitHere, lock.release))
  }

  join()
  return {
    settled: Effect.promise(() => promise),
    submit: (call, answer) => role.submit(call, answer),
    leave: () => {
      hasLeft = true
      stopLooking()
      return role.leave()
    },
  }
}

/** Accepts other processes' writes, and runs them together with this process's writes. */
const writeForOthers = (name: string, greeting: string, submitHere: Submit, release: () => void): Role => {
  const sockets = new Set<Socket>()
  let underWay = 0
  let whenIdle: (() => void) | undefined
  let isEnding = false

  const write = ({ number, calls }: Request, reply: (reply: Reply) => void) => {
    if (isEnding) return reply({ number, outcomes: undefined })
    underWay += 1
    const outcomes: Array<Outcome> = []
    let left = calls.length
    calls.forEach((call, index) => {
      submitHere(call, (outcome) => {
        outcomes[index] = outcome
        left -= 1
        if (left > 0) return
        reply({ number, outcomes })
        underWay -= 1
        if (underWay === 0) whenIdle?.()
      })
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket.unref())
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {}) // A failed socket also emits `close`.
    let hasGreeted = false
    const reply = replyTo(socket)
    onFrame(socket, (value) => {
      if (hasGreeted) {
        // Safe: after the greeting, a process sends only requests.
        write(value as Request, reply)
      } else if (value === greeting) {
        hasGreeted = true
        sendFrame(socket, greeting)
      } else socket.destroy()
    })
  })
  // Without a socket, every process writes by itself.
  server.on("error", () => {})
  try {
    // A killed writer leaves its socket behind. If the socket cannot be removed, listening fails.
    if (lstatSync(name, { throwIfNoEntry: false })?.isSocket() === true) rmSync(name)
  } catch {}
  server
    .listen(name, () => {
      try {
        // Private, because a process that can connect can write to the store.
        if (existsSync(name)) chmodSync(name, privateMode)
      } catch {
        // File systems shared with virtual machines (virtiofs, gRPC-FUSE) can refuse this. Every process then writes by itself.
        server.close()
      }
    })
    .unref()

  return {
    submit: submitHere,
    leave: async () => {
      isEnding = true
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) sendFrame(socket, [endingNotice])
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        if (underWay === 0) resolve()
      })
      const tooLate = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, endingMillis)
      await closed
      clearTimeout(tooLate)
      release()
    },
  }
}

type FromWriter = Outcome | "not written"

/**
 * Connects to the writer, and sends this process's writes to it. If the writer dies, pending writes may have happened. Returns a
 * function that gives up the search.
 *
 * @param become sets the role: with a writer, and when the writer accepts no more requests, although it still replies
 * @param onEnd called when there is no writer (`wasOpen` is `false`) or when the writer has exited (`wasOpen` is `true`)
 */
const findWriter = (
  name: string,
  nameOfFile: Name,
  greeting: string,
  alone: Role,
  become: (role: Role) => void,
  onEnd: (wasOpen: boolean) => void,
): (() => void) => {
  const socket = connect(name).unref()
  /** The requests that are waiting for a reply, by number. */
  const sent = new Map<number, { readonly writes: number; readonly settle: (answers: Answers<FromWriter>) => void }>()
  // The timer has an effect only while the greeting or a reply is pending.
  const tooLate = setTimeout(() => {
    if (!isOpen || sent.size > 0) socket.destroy()
  }, replyTimeoutMillis).unref()
  let number = 0
  let isOpen = false
  let isEnding = false

  const queue = batchQueue<WriteCall, FromWriter>({
    carryOut: (batch) => {
      if (isEnding || socket.destroyed) return batch.map(() => "not written")
      if (sent.size === 0) {
        tooLate.refresh()
        socket.ref()
      }
      number += 1
      sendFrame(socket, { number, calls: batch.map(({ request }) => request) } satisfies Request)
      return new Promise((settle) => sent.set(number, { writes: batch.length, settle }))
    },
    failed: (thrown) => ({ fault: faultOf(thrown) }),
    maximum: waitingMaximum,
  })

  /** Resolves each write of a request with its own outcome, or all writes with the same outcome. */
  const settle = (of: number, answers: ReadonlyArray<Outcome> | FromWriter): void => {
    const request = sent.get(of)
    sent.delete(of)
    request?.settle(Array.isArray(answers) ? answers : Array(request.writes).fill(answers))
  }

  const role: Role = {
    submit: (call, answer) => {
      const fault = nameOfFile.lost()
      if (fault !== undefined) return answer({ fault })
      const isTaken = queue.submit(call, (outcome) => (outcome === "not written" ? alone.submit(call, answer) : answer(outcome)))
      if (isTaken) return
      if (queue.isClosed()) alone.submit(call, answer)
      else answer(unavailableFault(tooManyWait))
    },
    leave: async () => {
      await queue.close()
      socket.destroy()
    },
  }

  socket.on("connect", () => sendFrame(socket, greeting))
  socket.on("error", () => {}) // A failed socket also emits `close`.
  onFrame(socket, (value) => {
    if (isOpen) {
      // The writer can have opened the file under another path, which still leads to the file.
      const fault = nameOfFile.look()
      // Safe: after the greeting, the writer sends only replies.
      for (const { number: of, outcomes } of value as ReadonlyArray<Reply>) {
        if (of === endingNotice.number) {
          isEnding = true
          become(alone)
        } else settle(of, fault === undefined ? (outcomes ?? "not written") : { fault })
      }
      tooLate.refresh()
      if (sent.size > 0) return
      socket.unref()
      if (isEnding) socket.end()
    } else if (value === greeting) {
      isOpen = true
      become(role)
    } else socket.destroy()
  })
  socket.on("close", () => {
    clearTimeout(tooLate)
    for (const of of sent.keys()) settle(of, unavailableFault("The writer process has exited."))
    onEnd(isOpen)
  })
  return () => void socket.destroy()
}
