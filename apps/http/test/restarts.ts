/** Callers that open a connection for each request, some with several requests at once, while the service replaces its workers. */
import { connect } from "node:net"
import { everyPet } from "./every-pet.js"
import type { ServiceProcess } from "./service-process.js"

/** The longest time for an answer, in ms: what takes longer hangs. */
const hangMillis = 20_000

/** Sends bytes on a connection of its own, and answers all that came until it was closed, or why there was no end. */
const exchange = (port: number, bytes: string): Promise<{ readonly received: string; readonly problem?: string }> =>
  new Promise((resolve) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    const end = (problem?: string) => {
      clearTimeout(tooLate)
      socket.destroy()
      resolve(problem === undefined ? { received } : { received, problem })
    }
    const tooLate = setTimeout(() => end(`no answer within ${hangMillis} ms`), hangMillis)
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text
    })
    socket.once("error", ({ message }) => end(message))
    socket.once("close", () => end())
  })

const create = (key: string, name: string, isLast: boolean): string => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const connection = isLast ? "Connection: close\r\n" : ""
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${connection}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const namesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name = ""]) => name)

export interface NewConnections {
  /** Requests that were sent so far. */
  readonly sent: () => number
  /** Lets what is in flight end. Answers whatever went wrong, in words: hung, failed, lost, doubled, or kept without an answer. */
  readonly stop: () => Promise<ReadonlyArray<string>>
}

/** Starts callers that each send one create after the other, every tenth time four in one segment. */
export const startNewConnections = ({ baseUrl, key }: ServiceProcess, callers: number): NewConnections => {
  const port = Number(new URL(baseUrl).port)
  const problems: Array<string> = []
  const acknowledged: Array<string> = []
  let sent = 0
  let isOver = false

  /** Sends creates in one segment. Those that a closed connection left without an answer were not started, and are sent again. */
  const send = async (names: ReadonlyArray<string>): Promise<void> => {
    sent += names.length
    const bytes = names.map((name, index) => create(key, name, index === names.length - 1)).join("")
    const { received, problem } = await exchange(port, bytes)
    const answered = namesIn(received)
    acknowledged.push(...answered)
    const rest = names.slice(answered.length)
    if (names.slice(0, answered.length).join() !== answered.join()) problems.push(`answers out of order: ${received}`)
    else if (problem !== undefined) problems.push(`${problem}, after ${received.length} bytes, on ${names.join()}`)
    else if (rest.length > 0 && !/\r\nconnection: close\r\n/i.test(received)) problems.push(`closed unsaid: ${received}`)
    else if (rest.length > 0) await send(rest)
  }

  const caller = async (number: number): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const name = `${number}.${turn}`
      await send(turn % 10 === 9 ? ["a", "b", "c", "d"].map((part) => `${name}${part}`) : [name])
    }
  }
  const running = Promise.all(Array.from({ length: callers }, (_, number) => caller(number)))

  return {
    sent: () => sent,
    stop: async () => {
      isOver = true
      await running
      const kept = (await everyPet(baseUrl, key)).flatMap(namesIn)
      const answered = new Set(acknowledged)
      const found = new Set(kept)
      return [
        ...problems,
        ...acknowledged.filter((name) => !found.has(name)).map((name) => `lost: ${name}`),
        ...kept.filter((name) => !answered.has(name)).map((name) => `kept without an answer: ${name}`),
        ...(kept.length === found.size ? [] : [`${kept.length - found.size} kept twice`]),
      ]
    },
  }
}
