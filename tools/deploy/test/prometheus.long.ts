/** Checks the alert rules and the dashboard in a real Prometheus that scrapes a running service. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { environmentIn } from "@petstore/harness/command"
import { freePort } from "@petstore/harness/free-port"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"

const root = join(import.meta.dirname, "../../..")
const folder = join(root, "tools/deploy/prometheus")

const promtool = (...args: ReadonlyArray<string>): string =>
  execFileSync("promtool", args, { cwd: folder, encoding: "utf8", stdio: "pipe" })

it("promtool accepts the configuration and the rules", () => {
  expect(promtool("check", "config", "prometheus.yaml")).toContain("SUCCESS")
  expect(promtool("check", "rules", "alerts.yaml")).toContain("SUCCESS")
})

it("every alert fires in the tests of the rules, and all these tests pass", () => {
  expect(promtool("test", "rules", "alerts.test.yaml")).toContain("SUCCESS")
  const tested = readFileSync(join(folder, "alerts.test.yaml"), "utf8")
  for (const { alert } of parse(readFileSync(join(folder, "alerts.yaml"), "utf8")).groups[0].rules) {
    expect(tested).toContain(`alertname="${alert}"}', value: 1`)
  }
})

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

// Safe: the file is ours, and a panel without these members would fail the tests below.
const { panels } = JSON.parse(readFileSync(join(root, "tools/deploy/grafana-dashboard.json"), "utf8")) as {
  readonly panels: ReadonlyArray<Panel>
}

it("the dashboard's panels have different ids, fit the grid and do not overlap", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = new Map<string, string>()
  for (const { title, gridPos } of panels) {
    expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true])
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, taken.get(`${x},${y}`)]).toEqual([title, undefined])
        taken.set(`${x},${y}`, title)
      }
    }
  }
})

/** Panels that stay empty for a healthy service on SQLite if all clients stay within their rate limit. */
const emptyHere = new Set([
  "Abandoned requests and closed connections",
  "Age of the newest backup",
  "Store errors",
  "PostgreSQL: connections and Citus nodes",
  "Rate-limited and deprecated calls",
])

it("the dashboard's panels show data for a scraped service, and Prometheus evaluates the rules without an error", async () => {
  const place = temporaryFolder()
  const { baseUrl, key, stdout } = await serve(environmentIn(place, { ADMIN_PORT: "0" }))
  const [, metrics = ""] = /Metrics are at http:\/\/([^/\s]+)/.exec(stdout) ?? []
  cpSync(folder, place, { recursive: true })
  const configuration = readFileSync(join(place, "prometheus.yaml"), "utf8")
  expect(configuration).toContain('"127.0.0.1:9464"')
  writeFileSync(
    join(place, "prometheus.yaml"),
    configuration.replace("127.0.0.1:9464", metrics).replaceAll(/_interval: 15s/g, "_interval: 1s"),
  )
  const port = await freePort()
  const flags = [
    `--config.file=${place}/prometheus.yaml`,
    `--storage.tsdb.path=${place}/tsdb`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const prometheus = spawn("prometheus", flags, { stdio: "ignore" })
  onTestFinished(async () => {
    const closed = once(prometheus, "close")
    prometheus.kill("SIGKILL")
    await closed
  })

  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const work = async (): Promise<void> => {
    await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Bello","categoryId":1,"status":"available"}' })
    await fetch(`${baseUrl}/pets`, { headers })
  }
  const ask = async (
    expression: string,
  ): Promise<{ readonly status: string; readonly data?: { readonly result: ReadonlyArray<unknown> } }> => {
    const query = expression.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`)
    // Safe: a response from Prometheus's HTTP API.
    return (await response.json()) as Awaited<ReturnType<typeof ask>>
  }
  const isScraped = async (): Promise<boolean> => {
    const response = await ask('count_over_time(petstore_http_requests_total{operation="createPet"}[1m]) > 2').catch(
      () => undefined,
    )
    return (response?.data?.result.length ?? 0) > 0
  }
  await expect
    .poll(
      async () => {
        await work()
        return isScraped()
      },
      { interval: 200 },
    )
    .toBe(true)

  for (const { title, targets = [] } of panels) {
    const responses = await Promise.all(targets.map(({ expr }) => ask(expr)))
    expect([title, responses.map(({ status }) => status)]).toEqual([title, targets.map(() => "success")])
    const shows = responses.some(({ data }) => (data?.result.length ?? 0) > 0)
    expect([title, shows]).toEqual([title, targets.length > 0 && !emptyHere.has(title)])
  }
  const rules = await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).text()
  expect(rules).toContain('"name":"PetstoreDown"')
  expect(rules).not.toContain('"lastError"')
})
