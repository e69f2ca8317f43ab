/** Runs the suite against completely broken services, to prove that the suite's sentences can fail. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { attempt } from "../src/outcome.ts"
import { suite } from "../src/suite.ts"

// The checksum is valid, so that the suite tests the sentences about the form of our keys.
const key = "pst_dev_bZsAOKVIUIdIAfjKZu3r4gvxmMswxukf1R0Xi2"
const given = {
  secondKey: "second",
  revokedKey: "revoked",
  expiredKey: "expired",
  disabledKey: "disabled",
  readOnlyKey: "read-only",
  origin: "https://named.example",
}

/** Runs the suite against a service that handles connections with `treat`. Returns the numbers of the sentences that pass. */
const passedOn = async (treat: (socket: Socket) => void): Promise<ReadonlyArray<string>> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    treat(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    // Safe: the address of a server that listens on TCP has this type.
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const target = { baseUrl: `${origin}/v1`, key, write: true, given: { ...given, quickstartUrl: origin } }
    const passed: Array<string> = []
    for (const sentence of suite) if ((await attempt(sentence, target)).kind === "pass") passed.push(sentence.number)
    return passed
  } finally {
    server.close()
  }
}

const answering = (status: string, type: string, body: string) => (socket: Socket) => {
  socket.once("data", () => {
    socket.on("data", () => {})
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
}

/** 5.17 is about the given key, not about the service. */
const aboutTheKey = "5.17"

describe("the suite", () => {
  it("reports a pass only for the sentence about the key if the service closes every connection", async () => {
    expect(await passedOn((socket) => socket.destroy())).toStrictEqual([aboutTheKey])
  })

  it("reports a pass only for the sentence about the key if the service responds to every request with 500", async () => {
    expect(await passedOn(answering("500 Broken", "text/html", "<h1>broken</h1>"))).toStrictEqual([aboutTheKey])
  })

  it("reports a pass only for the key's sentence and three about new pets if every response contains the same pet", async () => {
    const pet = '{"id":1,"name":"x","categoryId":1}'
    const passed = await passedOn(answering("201 Created", "application/json", pet))
    // These sentences only require that the service accepts the body.
    expect(passed).toStrictEqual(["4.2.24", "4.2.43", "4.2.51", aboutTheKey])
  })
})
