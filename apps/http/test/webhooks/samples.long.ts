/** The samples of docs/webhooks.md verify deliveries of a service at the first try, and refuse forged ones. */
import { spawn } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { environmentIn, environmentOf, run } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "../../../..")
const page = readFileSync(join(root, "docs/webhooks.md"), "utf8")

const languages = {
  ts: ["receiver.mjs", (file: string) => [process.execPath, file]],
  python: ["receiver.py", (file: string) => ["python3", file]],
  php: ["webhook.php", (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file]],
} as const

it.each(["ts", "python", "php"] as const)("the sample in %s verifies a delivery, and refuses a forged one", async (language) => {
  const [name, commandOf] = languages[language]
  const sample = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? ""
  const port = await freePort()
  // Inside the repository, so that Node finds the client.
  const folder = temporaryFolder()
  const file = join(language === "ts" ? import.meta.dirname : folder, `${language}-${port}-${name}`)
  writeFileSync(file, sample.replace("3002", String(port)))
  const environment = environmentIn(folder, { DATABASE_URL: `sqlite:${folder}/petstore.db` })
  const service = await serve(environment)
  const url = `http://127.0.0.1:${port}/`
  const { secret } = JSON.parse((await run(environment, "webhooks", "add", url, "--json")).stdout)
  const [program = "", ...args] = commandOf(file, port)
  const receiver = spawn(program, args, { env: environmentOf({ WEBHOOK_SECRET: secret }), stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => {
    receiver.kill("SIGKILL")
    rmSync(file, { force: true })
  })
  let printed = ""
  for (const output of [receiver.stdout, receiver.stderr]) output.on("data", (chunk) => (printed += String(chunk)))
  const forge = () =>
    fetch(url, {
      method: "POST",
      headers: {
        "webhook-id": "1-a",
        "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
        "webhook-signature": "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      },
      body: '{"type":"forged"}',
    }).then(({ status }) => status)
  await expect.poll(() => forge().catch(() => 0), { timeout: 20_000 }).toBe(400)
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }
  const body = '{"name":"Ünal 🐶","categoryId":9007199254740993}'
  expect((await fetch(`${service.baseUrl}/pets`, { method: "POST", headers, body })).status).toBe(201)
  await expect.poll(() => printed, { timeout: 10_000 }).toContain("createPet")
  expect(printed).not.toContain("forged")
  const deliveries = async () => {
    const [webhook] = JSON.parse((await run(environment, "webhooks", "list", "--json")).stdout)
    return JSON.parse((await run(environment, "webhooks", "deliveries", webhook.id, "--json")).stdout)
  }
  await expect.poll(deliveries, { timeout: 10_000 }).toMatchObject([{ outcome: "delivered", status: 204, tries: 1 }])
})
