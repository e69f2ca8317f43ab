/** Compares the documents for operators with the program's metrics and with the files that they link to. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { startMetrics } from "../src/telemetry/metrics.js"

const root = join(import.meta.dirname, "../../..")
const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  )

describe("the guide for operators", () => {
  it.each(["docs/operations.md", "tools/deploy/prometheus/alerts.yaml", "tools/deploy/grafana-dashboard.json"])(
    "%s names only metrics that exist",
    async (file) => {
      const { text } = await (await startMetrics()).text()
      const measured = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
      const used = [...textOf(file).matchAll(/\b(?:petstore|nodejs|process)_[a-z0-9_]+[a-z0-9]/g)].map(([metric]) =>
        metric.replace(/_(?:bucket|count|sum)$/, ""),
      )
      expect(used.length).toBeGreaterThan(5)
      expect(used.filter((metric) => !measured.includes(metric))).toEqual([])
    },
  )

  it("explains in alerts.yaml what to do about each alert", () => {
    const rules = textOf("tools/deploy/prometheus/alerts.yaml").split("- alert: ").slice(1)
    expect(rules.length).toBeGreaterThan(5)
    for (const rule of rules) expect(rule).toMatch(/^\s+action: /m)
  })

  const pages = globSync(["docs/*.md", "docs/reference/*.md", "tools/deploy/*.md"], { cwd: root })

  it.each(pages)("%s links only to files and headings that exist", (page) => {
    const leadsNowhere = (link: string): boolean => {
      const [path = "", anchor] = link.split("#")
      const target = path === "" ? page : join(dirname(page), path)
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor))
    }
    const links = [...textOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target)
    expect(links.filter((link) => !link.startsWith("http") && leadsNowhere(link))).toEqual([])
  })
})
