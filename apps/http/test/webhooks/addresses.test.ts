/** Which addresses a webhook may reach. */
import dns from "node:dns"
import dnsPromises from "node:dns/promises"
import { createServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { decodeNetworks } from "../../src/networks.js"
import { type AddressRules, addressesOf, mayReach, whyNotUrl } from "../../src/webhooks/addresses.js"
import { send } from "../../src/webhooks/send.js"

const rulesWith = (deployment: AddressRules["deployment"], ...networks: ReadonlyArray<string>): AddressRules => {
  const webhookNetworks = decodeNetworks(networks)
  if (webhookNetworks === undefined) throw new Error("no networks")
  return { deployment, webhookNetworks }
}

const production = rulesWith("production")

/** Forms of inner addresses: those of PayloadsAllTheThings (Server-Side Request Forgery), kinds of SSRF-Testing, and more. */
const hostile = [
  ...["169.254.43518", "169.16689662", "0xa9.254.0251.254", "0xa9.0xfe.43518", "000251.254.0xa9.0xfe", "425.510.425.510"],
  ...["0xAAAAAA7f000001", "user@169.254.169.254", "localhost:80+&@localhost:80#+@127.88.23.245:22", "１６９.254.169.254"],
  ...["127.0.1.3", "127.0.0.0", "0000::1", "localhost:+11211aaa", "localhost:00011211aaaa", "127.1.1.1:80\\@127.2.2.2:80"],
  ...["127.1.1.1:80\\@@127.2.2.2:80", "127.1.1.1:80:\\@@127.2.2.2:80", "127.1.1.1:80#\\@127.2.2.2:80"],
  ...["127.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0", "127.127.127.127", "2130706433", "3232235521", "3232235777"],
  ...["017700000001", "0177.0.0.1", "0o177.0.0.1", "0x7f.0x0.0x0.0x1", "0x7f000001", "0x7f.1", "00000177.0.0.1", "127.0.0.1."],
  ...["[::]", "[::1]", "[0000::1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
  ...["[::ffff:0:127.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a00:1]"],
  ...["[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:7f00:1::]", "[2001:db8::1]", "[100::1]", "[5f00::1]", "[3fff::1]"],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]"],
  ...["10.0.0.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255"],
  ...["192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"],
  ...[
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
  ],
  ...["①②⑦.⓪.⓪.①", "localhost", "LOCALHOST", "localhost.", "%31%32%37.0.0.1", "127。0。0。1"],
]

describe("a webhook", () => {
  it.each(hostile)("does not reach %s", async (host) => {
    const url = URL.parse(`https://${host}/`)
    if (url !== null) await expect(addressesOf(production, url)).rejects.toThrow()
  })

  it("reaches public addresses, and none of the special ones beside them", () => {
    for (const address of ["1.1.1.1", "8.8.8.8", "11.0.0.1", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "2a00::1"]) {
      expect(mayReach(production, address), address).toBe(true)
    }
  })

  it("reaches the networks of WEBHOOK_NETWORKS, and not their neighbours", () => {
    const rules = rulesWith("production", "10.1.0.0/16", "fd12::/32")
    for (const address of ["10.1.255.255", "::ffff:10.1.0.1", "fd12::1"]) expect(mayReach(rules, address), address).toBe(true)
    for (const address of ["10.2.0.1", "127.0.0.1", "fd13::1"]) expect(mayReach(rules, address), address).toBe(false)
  })

  it("reaches loopback in development only", () => {
    expect(whyNotUrl(rulesWith("development"), "http://127.0.0.1:3002/")).toBeUndefined()
    expect(whyNotUrl(rulesWith("development"), "http://localhost:3002/")).toBeUndefined()
    expect(whyNotUrl(rulesWith("development"), "http://shop.example/")).toContain("http is only for loopback")
    expect(whyNotUrl(rulesWith("development"), "https://169.254.169.254/")).toContain("is not public")
    for (const deployment of ["staging", "production"] as const) {
      expect(whyNotUrl(rulesWith(deployment), "https://127.1/")).toContain("is not public")
      expect(whyNotUrl(rulesWith(deployment), "http://shop.example/")).toContain("expected an https URL")
    }
  })

  it.each(["ftp://shop.example/", "shop.example", "https://a:b@shop.example/", "https://shop.example/#x", "file:///etc/passwd"])(
    "does not have the URL %s",
    (url) => {
      expect(whyNotUrl(production, url)).toContain("expected")
    },
  )

  it.each(["10.0.0.0", "10.0.0.0/33", "fd00::/129", "shop.example/8", "10.0.0/8", "10.0.0.0/8/8"])(
    "has no network %s",
    (network) => {
      expect(decodeNetworks([network])).toBeUndefined()
    },
  )
})

describe("a delivery", () => {
  const settings = { operations: [], secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", createdAtMillis: 0 }
  const delivery = { changeId: "c", payload: "{}" }
  const { signal } = new AbortController()

  const listen = async (listener: Parameters<typeof createServer>[1]) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    // Safe: the server listens on TCP.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  it("does not follow a redirect", async () => {
    const requests: Array<string | undefined> = []
    const url = await listen((request, response) => {
      requests.push(request.url)
      response.writeHead(302, { location: "/other" }).end()
    })
    expect(await send(rulesWith("development"), { ...settings, url }, delivery, signal)).toMatchObject({ status: 302 })
    expect(requests).toStrictEqual(["/"])
  })

  it("is not sent to loopback in production", async () => {
    let requests = 0
    const url = await listen((_, response) => {
      requests += 1
      response.end()
    })
    expect(await send(production, { ...settings, url }, delivery, signal)).toStrictEqual({
      status: 0,
      why: expect.stringContaining("127.0.0.1, which is not public"),
    })
    expect(requests).toBe(0)
  })

  it("is sent to the address that was checked, if the name has another one at the next look-up", async () => {
    const answers = ["127.0.0.2", "127.0.0.1", "127.0.0.1"]
    const reached: Array<string | undefined> = []
    const inside = createTcpServer((socket) => {
      reached.push(socket.localAddress)
      socket.destroy()
    })
    await new Promise<void>((resolve) => inside.listen(0, "0.0.0.0", resolve))
    onTestFinished(() => void inside.close())
    // Safe: the server listens on TCP.
    const url = `https://rebind.example:${(inside.address() as AddressInfo).port}/`
    const answerNext = () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }]
    // A name of ours needs a DNS server. Both ways in which Node resolves a name get the next answer.
    const real = [dns.lookup, dnsPromises.lookup] as const
    const replace = (lookup: unknown, lookupPromise: unknown): void => {
      Reflect.set(dns, "lookup", lookup)
      Reflect.set(dnsPromises, "lookup", lookupPromise)
      syncBuiltinESMExports()
    }
    onTestFinished(() => replace(...real))
    replace(
      (_: string, __: object, give: (error: null, addresses: object) => void) => give(null, answerNext()),
      async () => answerNext(),
    )
    const rules = rulesWith("production", "127.0.0.2/32")
    expect(await send(rules, { ...settings, url }, delivery, signal)).toMatchObject({
      status: 0,
      why: expect.not.stringContaining("public"),
    })
    expect(reached).toStrictEqual(["127.0.0.2"])
    expect(await send(rules, { ...settings, url }, delivery, signal)).toStrictEqual({
      status: 0,
      why: expect.stringContaining("127.0.0.1, which is not public"),
    })
    expect(reached).toStrictEqual(["127.0.0.2"])
  })

  it("reads a bounded part of a response without an end", async () => {
    const url = await listen((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      }
      response.on("drain", write)
      write()
    })
    expect(await send(rulesWith("development"), { ...settings, url }, delivery, signal)).toMatchObject({ status: 200 })
  })

  it("has no status if the receiver closes the connection before the head, and one if it closes after it", async () => {
    const early = await listen((request) => request.socket.destroy())
    const why = "socket hang up"
    expect(await send(rulesWith("development"), { ...settings, url: early }, delivery, signal)).toStrictEqual({ status: 0, why })
    const late = await listen((request, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("x", () => request.socket.destroy())
    })
    expect(await send(rulesWith("development"), { ...settings, url: late }, delivery, signal)).toMatchObject({ status: 200 })
  })

  it.each([
    [
      "switches to another protocol",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      "the connection was closed without a response",
    ],
    ["sends informational responses without an end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100), "socket hang up"],
  ])("fails at once if the receiver %s", async (_, responses, why) => {
    const server = createTcpServer((socket) => void socket.on("error", () => {}).write(responses))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    // Safe: the server listens on TCP.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect(await send(rulesWith("development"), { ...settings, url }, delivery, signal)).toStrictEqual({ status: 0, why })
  })

  it("reads Retry-After as seconds and as a date", async () => {
    const retryAfter = { value: "120" }
    const url = await listen((_, response) => void response.writeHead(503, { "retry-after": retryAfter.value }).end())
    const ask = () => send(rulesWith("development"), { ...settings, url }, delivery, signal)
    expect(await ask()).toStrictEqual({ status: 503, retryAfterMillis: 120_000 })
    retryAfter.value = new Date(Date.now() + 600_000).toUTCString()
    expect((await ask()).retryAfterMillis).toBeGreaterThan(590_000)
    retryAfter.value = "soon"
    expect(await ask()).toStrictEqual({ status: 503, retryAfterMillis: undefined })
  })
})
