/** The programs of the guide to webhooks verify deliveries of a service at the first try, and refuse forged ones. */
import { spawn, spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { verifyWebhook } from "@petstore/client"
import { environmentIn, environmentOf, inMemory, run } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished, vi } from "vitest"
import { programIn } from "./page-samples.ts"

/** Where Python finds the library of the standard, which no Debian package contains. */
// biome-ignore lint/style/noProcessEnv: a setting of the tests
const libraries = { PYTHONPATH: process.env["STANDARDWEBHOOKS_PYTHON"] ?? "" }

const hasLibrary = spawnSync("python3", ["-c", "import standardwebhooks"], { env: environmentOf(libraries) }).status === 0
if (!hasLibrary) process.stdout.write("Python's standardwebhooks: not run\n")

const programs = [
  { language: "TypeScript", file: "receiver.mjs", commandOf: (file: string) => [process.execPath, file] },
  { language: "PHP", file: "webhook.php", commandOf: (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file] },
  ...(hasLibrary ? [{ language: "Python", file: "receiver.py", commandOf: (file: string) => ["python3", file] }] : []),
]

it.each(programs)(
  "the program in $language verifies a delivery, and refuses a forged one",
  async ({ language, file, commandOf }) => {
    const folder = temporaryFolder()
    const environment = environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/petstore.db` })
    const service = await serve(environment)
    const port = await freePort()
    // Inside the repository, Node finds the client.
    const path = join(language === "TypeScript" ? import.meta.dirname : folder, `${port}-${file}`)
    writeFileSync(path, (await programIn(service.origin, "webhooks", language)).replace("3002", String(port)))
    const url = `http://127.0.0.1:${port}/`
    const { id, secret } = JSON.parse((await run(environment, "webhooks", "add", url, "--json")).stdout)
    const [command = "", ...args] = commandOf(path, port)
    const env = environmentOf({ ...libraries, WEBHOOK_SECRET: secret })
    const receiver = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    onTestFinished(() => {
      receiver.kill("SIGKILL")
      rmSync(path, { force: true })
    })
    let printed = ""
    for (const output of [receiver.stdout, receiver.stderr]) output.on("data", (chunk) => (printed += String(chunk)))
    const forge = (signature: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          "webhook-id": "1-a",
          "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
          "webhook-signature": signature,
        },
        body: '{"type":"forged"}',
      }).then(({ status }) => status)
    await expect.poll(() => forge(`v1,${"A".repeat(43)}=`).catch(() => 0), { timeout: 20_000 }).toBe(400)
    expect(await forge("nonsense")).toBe(400)
    const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
    const body = '{"name":"Ünal 🐶","categoryId":9007199254740993}'
    expect((await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
    await expect.poll(() => printed, { timeout: 10_000 }).toContain("createPet")
    expect(printed).not.toContain("forged")
    const deliveries = async () => JSON.parse((await run(environment, "webhooks", "deliveries", id, "--json")).stdout)
    await expect.poll(deliveries, { timeout: 10_000 }).toMatchObject([{ outcome: "delivered", status: 204, tries: 1 }])
  },
)

it("the request that the guide shows is signed with the secret that it shows", async () => {
  const { origin } = await serve(inMemory())
  const [head = "", body = ""] = (await programIn(origin, "webhooks", "HTTP")).split("\n\n")
  const headers = Object.fromEntries([...head.matchAll(/^([a-z-]+): (.+)$/gm)].map(([, name, value]) => [name, value]))
  const [secret = ""] = /whsec_\w+/.exec(await (await fetch(`${origin}/docs/webhooks`)).text()) ?? []
  vi.useFakeTimers({ toFake: ["Date"], now: Number(headers["webhook-timestamp"]) * 1_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: "createPet", data: { id: headers["webhook-id"] } })
})
