/** Clients that open many connections or pipeline requests while the service replaces its workers or stops. */
import { connect, type Socket } from "node:net"
import { everyPet, keepBusy } from "@petstore/harness/load"
import type { Service } from "@petstore/harness/serving"

/** A client's pause between two requests, in ms. It leaves CPU time for the service. */
const pauseMillis = 3

/** The maximum time for a response, in ms. After that, a request counts as hung. */
const hangMillis = 20_000

/** A connection that sends requests and reads one response for each. */
class Conversation {
  readonly #socket: Socket
  #received = ""
  #onChange = (): void => {}
  #problem: string | undefined
  isClosed = false

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1")
    this.#socket.setEncoding("utf8").on("data", (text: string) => {
      this.#received += text
      this.#onChange()
    })
    this.#socket.once("error", ({ message }) => {
      this.#problem = message
    })
    this.#socket.once("close", () => {
      this.isClosed = true
      this.#onChange()
    })
  }

  /** Sends create requests in one segment. Returns when every request has a response, or when the connection closes. */
  async ask(bytes: string, responses: number): Promise<{ readonly received: string; readonly problem: string | undefined }> {
    this.#received = ""
    this.#socket.write(bytes)
    const tooLate = setTimeout(() => {
      this.#problem = `no response within ${hangMillis} ms`
      this.#socket.destroy()
    }, hangMillis)
    await new Promise<void>((resolve) => {
      this.#onChange = () => {
        if (this.isClosed || answersIn(this.#received).length === responses) resolve()
      }
      this.#onChange()
    })
    clearTimeout(tooLate)
    return { received: this.#received, problem: this.#problem }
  }

  end(): void {
    this.#socket.destroy()
  }
}

const create = (key: string, name: string, isLast: boolean): string => {
  const body = JSON.stringify({ name, categoryId: 1 })
  const connection = isLast ? "Connection: close\r\n" : ""
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${connection}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

interface Answered {
  readonly status: string
  readonly body: string
}

/** The complete responses at the start of a text. */
const answersIn = (text: string): ReadonlyArray<Answered> => {
  const responses: Array<Answered> = []
  for (let start = 0; ; ) {
    const head = text.indexOf("\r\n\r\n", start)
    if (head < 0) return responses
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(start, head))?.[1] ?? 0)
    const end = head + 4 + length
    if (text.length < end) return responses
    responses.push({ status: text.slice(start + "HTTP/1.1 ".length).slice(0, 3), body: text.slice(head + 4, end) })
    start = end
  }
}

const namesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/"name":"([^"]*)"/g)].map(([, name = ""]) => name)

export interface Callers {
  /** The number of requests sent so far. */
  readonly sent: () => number
  /** Waits for requests in flight. Returns problems: wrong responses, and requests that got no response. */
  readonly stop: () => Promise<ReadonlyArray<string>>
  /** Where the store differs from the responses: pets that were lost, duplicated, or kept without a response. */
  readonly compare: (service: Service) => Promise<ReadonlyArray<string>>
}

/**
 * Starts clients. Three in four open a connection for each request, and every tenth time send four requests in one segment.
 * The fourth keeps its connection and always sends four.
 */
export const startCallers = ({ baseUrl, key }: Service, callers: number): Callers => {
  const port = Number(new URL(baseUrl).port)
  const problems: Array<string> = []
  const acknowledged: Array<string> = []
  let sent = 0

  /**
   * Sends create requests in one segment. The service has not started requests that follow a `Connection: close`,
   * so this function sends them again.
   */
  const send = async (conversation: Conversation, names: ReadonlyArray<string>, isKept: boolean): Promise<Conversation> => {
    sent += names.length
    const bytes = names.map((name, index) => create(key, name, !isKept && index === names.length - 1)).join("")
    const { received, problem } = await conversation.ask(bytes, names.length)
    const responses = answersIn(received)
    const rest = names.slice(responses.length)
    const saidClose = /\r\nconnection: close\r\n/i.test(received)
    if (!isKept) conversation.end()
    for (const [index, { status, body }] of responses.entries()) {
      const [name = ""] = namesIn(body)
      if (status === "201" && name === names[index]) acknowledged.push(name)
      else problems.push(`the response to ${names[index]} was ${status} ${body}, expected 201 with that name`)
    }
    if (rest.length > 0 && !saidClose) {
      problems.push(`${problem ?? "connection closed"}; received ${received.length} bytes; no response to ${rest.join(", ")}`)
    }
    const next = isKept && !saidClose && !conversation.isClosed ? conversation : new Conversation(port)
    return rest.length > 0 && saidClose ? send(next, rest, isKept) : next
  }

  const conversations = Array.from({ length: callers }, () => new Conversation(port))
  const caller = (number: number) => async (turn: number) => {
    const isKept = number % 4 === 3
    const name = `${number}.${turn}`
    const names = isKept || turn % 10 === 9 ? ["a", "b", "c", "d"].map((part) => `${name}${part}`) : [name]
    const conversation = conversations[number] ?? new Conversation(port)
    conversations[number] = await send(conversation, names, isKept)
  }
  const busy = keepBusy(
    Array.from({ length: callers }, (_, number) => caller(number)),
    pauseMillis,
  )

  return {
    sent: () => sent,
    stop: async () => {
      await busy.stop()
      for (const conversation of conversations) conversation.end()
      return problems
    },
    compare: async (service) => {
      const kept = (await everyPet(service.baseUrl, key)).flatMap(namesIn)
      const answered = new Set(acknowledged)
      const found = new Set(kept)
      return [
        ...acknowledged.filter((name) => !found.has(name)).map((name) => `lost: ${name}`),
        ...kept.filter((name) => !answered.has(name)).map((name) => `kept without a response: ${name}`),
        ...(kept.length === found.size ? [] : [`${kept.length - found.size} pets were stored twice`]),
      ]
    },
  }
}
