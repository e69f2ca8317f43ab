import { type AddressInfo, createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { Connection } from "../src/connection.ts"

/** Reads from a server that sends these bytes one by one, and then closes the connection. */
const reading = async <A>(bytes: string, use: (connection: Connection) => Promise<A>): Promise<A> => {
  const server = createServer(async (socket) => {
    socket.setNoDelay(true)
    for (const byte of Buffer.from(bytes)) {
      socket.write(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Safe: a server that listens on TCP has an address of this type.
  const connection = await Connection.open(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  try {
    return await use(connection)
  } finally {
    connection.destroy()
    server.close()
  }
}

describe("Connection", () => {
  it("reads consecutive responses with different framings", async () => {
    const bytes = [
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Two: a\r\nX-Two: b\r\n\r\n[]",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 400 Bad Request\r\n\r\nuntil the end",
    ].join("")
    await reading(bytes, async (connection) => {
      const first = await connection.read()
      expect([first.interim, first.status, first.text, first.header("x-two")]).toStrictEqual([[100], 200, "[]", "a, b"])
      expect((await connection.read()).text).toBe("abcde")
      expect((await connection.read()).status).toBe(204)
      expect((await connection.read("HEAD")).text).toBe("")
      expect((await connection.read()).text).toBe("until the end")
      expect(await connection.closes()).toBe(true)
    })
  })

  it.each([
    ["a head", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"],
    ["a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"],
  ])("rejects a response if the connection closes in the middle of %s", async (_where, bytes) => {
    await expect(reading(bytes, (connection) => connection.read())).rejects.toThrow("the connection was closed after")
  })

  it("rejects a response that is not HTTP or has an ambiguous length", async () => {
    await expect(reading("hello\r\n\r\n", (connection) => connection.read())).rejects.toThrow("not a status line")
    const ambiguous = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc"
    await expect(reading(ambiguous, (connection) => connection.read())).rejects.toThrow("ambiguous")
  })

  it("parses integers exactly, and finds links by their relation", async () => {
    const body = '{"id":9007199254740993,"ratio":1.5}'
    const link = 'Link: </v1/pets?cursor=a,b>; rel="next", </v1/pets>; rel="successor-version"'
    await reading(`HTTP/1.1 200 OK\r\n${link}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, async (connection) => {
      const response = await connection.read()
      expect(response.json).toStrictEqual({ id: 9_007_199_254_740_993n, ratio: 1.5 })
      expect(response.link("next")).toBe("/v1/pets?cursor=a,b")
      expect(response.link("successor-version")).toBe("/v1/pets")
      expect(response.link("prev")).toBeUndefined()
    })
  })
})
