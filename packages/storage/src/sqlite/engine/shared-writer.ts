/**
 * One writer for the processes that serve a file together. SQLite has one writer at a time and no queue for its lock, so several
 * writers would wait for each other's commits. One process holds the writer lock and listens on a socket beside the file; the
 * others send it their writes, which share its transactions.
 *
 * Only speed depends on it: a process without a compatible writer writes by itself, under the locks of SQLite. When the writer
 * ends, the kernel drops its lock and its connections, and another takes its place.
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
import { away, type Submit, tooManyWait, waitingMaximum } from "./group-commit.js"
import type { Name } from "./one-name.js"
import { lockStore, type StoreLock, StoreLockTaken } from "./store-lock.js"
import type { Outcome, WriteCall } from "./transaction.js"

/** Increment it with every change of arguments or results of writes, or of the messages below. */
const protocol = 5

/** The first message of each side. Only compatible processes write for each other. */
export const greetingOf = (schemaVersion: number): string => `petstore writer ${protocol}, schema ${schemaVersion}`

/** To the writer after the greeting: the writes of one tick. */
interface Request {
  readonly number: number
  readonly calls: ReadonlyArray<WriteCall>
}

/**
 * The outcome of a request, or nothing if the writer is ending and has not written it. The writer sends all outcomes of a commit
 * together.
 */
interface Reply {
  readonly number: number
  readonly outcomes: ReadonlyArray<Outcome> | undefined
}

/** From the writer to the others: it is ending and accepts no more. Requests are counted from 1. */
const endingNotice: Reply = { number: 0, outcomes: undefined }

/**
 * Replies to another process. All outcomes of a commit are one message, because each costs both sides a system call, and the
 * other side a tick.
 */
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
 * How long an ending writer waits until the others know, in ms, because a busy machine may delay them. It is as long as a
 * replaced worker has to close its store.
 */
const endingMillis = 1_000

/** How long a process without a writer waits before it looks for one again, in ms. */
const lookAgainMillis = 200

/** How long to wait for the next reply, in ms. A writer that takes longer is stuck. */
const replyTimeoutMillis = 5_000

/** Names of sockets are short: 108 bytes with the terminator, on Linux. */
const nameMaximum = 100

const socketOf = (file: string): string | undefined => {
  const name = `${file}-writer`
  return [name, relative(process.cwd(), name)].find((candidate) => Buffer.byteLength(candidate) <= nameMaximum)
}

/** The role of a process: it writes for the others, or another writes for it. */
interface Role {
  /** Submits writes of this process. */
  readonly submit: Submit
  /** Ends it, when no write is pending. */
  readonly leave: () => Promise<void>
}

/** How a process cooperates: not at all, it uses the writer, or it becomes the missing writer. */
export type Sharing = "alone" | "follows" | "serves"

/** How long a command waits for the greeting of a writer before it writes by itself, in ms. */
const greetingMillis = 1_000

/** Shares a writer with the other processes that have `file` open, for as long as the scope lasts. `submitHere` writes in this process. */
export const shareWriter = (
  file: string,
  name: Name,
  schemaVersion: number,
  submitHere: Submit,
  sharing: Sharing,
): Effect.Effect<Submit, never, Scope.Scope> =>
  sharing === "alone"
    ? Effect.succeed(submitHere)
    : Effect.acquireRelease(
        Effect.sync(() => takeRole(file, name, greetingOf(schemaVersion), submitHere, sharing === "serves")),
        ({ leave }) => Effect.promise(leave),
      ).pipe(
        // The first write of a command may be its only one. A write of a service may use either way.
        Effect.tap(({ settled }) => (sharing === "serves" ? Effect.void : Effect.timeoutOption(settled, greetingMillis))),
        Effect.map(({ submit }) => submit),
      )

/** Finds the role of this process, and again whenever the writer changes. `settled`: it is known whether there is a writer. */
const takeRole = (
  file: string,
  nameOfFile: Name,
  greeting: string,
  submitHere: Submit,
  mayWrite: boolean,
): Role & { readonly settled: Effect.Effect<void> } => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const name = socketOf(file)
  const alone: Role = { submit: submitHere, leave: async () => {} }
  let role = alone
  let hasLeft = false
  let stopLooking = (): void => {}

  const lookAgain = (): void => {
    role = alone
    resolve()
    if (hasLeft) return
    const timer = setTimeout(join, lookAgainMillis).unref()
    stopLooking = () => clearTimeout(timer)
  }

  const follow = (socketName: string): void => {
    stopLooking = findWriter(socketName, nameOfFile, greeting, submitHere, {
      onOpen: (found) => {
        stopLooking = () => {}
        role = found
        resolve()
      },
      onEnding: () => {
        role = alone
      },
      onEnd: (wasOpen) => {
        role = alone
        if (wasOpen) join()
        else lookAgain()
      },
    })
  }

  const join = (): void => {
    if (name === undefined) resolve()
    if (hasLeft || name === undefined) return
    if (!mayWrite) {
      follow(name)
      return
    }
    let lock: StoreLock
    try {
      lock = lockStore(file, "writer", 0)
    } catch (thrown) {
      if (thrown instanceof StoreLockTaken) follow(name)
      else lookAgain()
      return
    }
    role = writeForOthers(name, greeting, submitHere, lock.release)
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

/** Resolves when nothing is pending. */
const whenNone = () => {
  let count = 0
  const waiting: Array<() => void> = []
  return {
    begin: (): void => {
      count += 1
    },
    end: (): void => {
      count -= 1
      if (count === 0) for (const resolve of waiting.splice(0)) resolve()
    },
    none: (): Promise<void> => new Promise((resolve) => (count === 0 ? resolve() : waiting.push(resolve))),
  }
}

/** Accepts the writes of other processes, and runs them with those of this process. */
const writeForOthers = (name: string, greeting: string, submitHere: Submit, release: () => void): Role => {
  const sockets = new Set<Socket>()
  const underWay = whenNone()
  let isEnding = false

  const write = ({ number, calls }: Request, reply: (reply: Reply) => void): void => {
    if (isEnding) {
      reply({ number, outcomes: undefined })
      return
    }
    underWay.begin()
    const outcomes: Array<Outcome> = []
    let left = calls.length
    calls.forEach((call, index) => {
      submitHere(call, (outcome) => {
        outcomes[index] = outcome
        left -= 1
        if (left > 0) return
        reply({ number, outcomes })
        underWay.end()
      })
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket.unref())
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    let hasGreeted = false
    const reply = replyTo(socket)
    onFrame(socket, (value) => {
      if (hasGreeted) {
        // Safe: after the greeting a process sends requests and nothing else.
        write(value as Request, reply)
      } else if (value === greeting) {
        hasGreeted = true
        sendFrame(socket, greeting)
      } else socket.destroy()
    })
  })
  // Without a socket every process writes by itself.
  server.on("error", () => {})
  try {
    // A killed writer leaves its socket. If it cannot be removed, listening fails.
    if (lstatSync(name, { throwIfNoEntry: false })?.isSocket() === true) rmSync(name)
  } catch {}
  server
    .listen(name, () => {
      try {
        // A process that can connect can write to the store.
        if (existsSync(name)) chmodSync(name, privateMode)
      } catch {
        // Some shared folders of virtual machines (virtiofs, gRPC-FUSE) refuse it: every process writes by itself there.
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
      await underWay.none()
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

interface WriterEvents {
  readonly onOpen: (role: Role) => void
  /** It accepts no more, and replies to pending requests. */
  readonly onEnding: () => void
  /** There is no writer, or it has ended: then `wasOpen`. */
  readonly onEnd: (wasOpen: boolean) => void
}

/**
 * Connects to the writer, and sends it the writes of this process. Pending writes of a dead writer may have happened.
 *
 * @returns a function that gives up the search
 */
const findWriter = (
  name: string,
  nameOfFile: Name,
  greeting: string,
  submitHere: Submit,
  { onOpen, onEnding, onEnd }: WriterEvents,
): (() => void) => {
  const socket = connect(name).unref()
  /** The requests without a reply, by their numbers. */
  const sent = new Map<number, { readonly writes: number; readonly settle: (answers: Answers<FromWriter>) => void }>()
  // Runs while the greeting or a reply is pending, and has no effect otherwise.
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

  /** Each write of a request gets its own outcome, or all get the same. */
  const settle = (of: number, answers: ReadonlyArray<Outcome> | FromWriter): void => {
    const request = sent.get(of)
    sent.delete(of)
    request?.settle(Array.isArray(answers) ? answers : Array(request.writes).fill(answers))
  }

  const role: Role = {
    submit: (call, answer) => {
      const fault = nameOfFile.lost()
      if (fault !== undefined) return answer({ fault })
      const isTaken = queue.submit(call, (outcome) => (outcome === "not written" ? submitHere(call, answer) : answer(outcome)))
      if (isTaken) return
      if (queue.isClosed()) submitHere(call, answer)
      else answer(away(tooManyWait))
    },
    leave: async () => {
      await queue.close()
      socket.destroy()
    },
  }

  socket.on("connect", () => sendFrame(socket, greeting))
  socket.on("error", () => {})
  onFrame(socket, (value) => {
    if (isOpen) {
      // The writer may have opened the file by another path, which still leads to it.
      const fault = nameOfFile.look()
      // Safe: after the greeting the writer sends replies and nothing else.
      for (const { number: of, outcomes } of value as ReadonlyArray<Reply>) {
        if (of === endingNotice.number) {
          isEnding = true
          onEnding()
        } else settle(of, fault === undefined ? (outcomes ?? "not written") : { fault })
      }
      tooLate.refresh()
      if (sent.size > 0) return
      socket.unref()
      if (isEnding) socket.end()
    } else if (value === greeting) {
      isOpen = true
      onOpen(role)
    } else socket.destroy()
  })
  socket.on("close", () => {
    clearTimeout(tooLate)
    for (const of of sent.keys()) settle(of, away("The process that writes has ended."))
    onEnd(isOpen)
  })
  return () => void socket.destroy()
}
