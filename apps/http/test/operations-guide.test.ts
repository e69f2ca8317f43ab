/** Compares docs/operations.md with the program's settings, commands, metrics and deployment files. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Command } from "../src/cli/command.js"
import { commands } from "../src/cli/commands.js"
import { batchMaximum } from "../src/cli/import-file.js"
import { settings } from "../src/config.js"
import { startMetrics } from "../src/telemetry/metrics.js"

const root = join(import.meta.dirname, "../../..")
const guide = readFileSync(join(root, "docs/operations.md"), "utf8")

/** The text from a heading to the next heading of the same level. */
const section = (heading: string): string => {
  const [, text = ""] = guide.split(`\n## ${heading}\n`)
  return text.split("\n## ")[0] ?? ""
}

/** The table rows in a section, with their cells as text. */
const rows = (heading: string): ReadonlyArray<ReadonlyArray<string>> =>
  section(heading)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

const names = (cell: string | undefined): ReadonlyArray<string> =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

const file = (name: string): string => readFileSync(join(root, "tools/deploy", name), "utf8")

const measuredNames = async (): Promise<ReadonlyArray<string>> =>
  [...(await (await startMetrics()).text()).text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name)

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  )

describe("docs/operations.md", () => {
  it("explains every setting, and no other", () => {
    const explained = rows("Settings").flatMap(([variables]) => names(variables))
    expect(explained.toSorted()).toEqual(
      Object.values(settings)
        .map(({ variable }) => variable)
        .toSorted(),
    )
  })

  it("states the default of every setting", () => {
    const defaults = rows("Settings").flatMap(([variables, values = ""]) => {
      const written = values.split(",").map((value) => value.trim().replaceAll("`", ""))
      return names(variables).map((name, index) => [name, written[index]])
    })
    const real = Object.values(settings).map(({ variable, default: value }) => [variable, value === "" ? "none" : value])
    expect(Object.fromEntries(defaults)).toEqual(Object.fromEntries(real))
  })

  it("lists every command exactly as the command table does", () => {
    const usage = ({ name, args, options }: Command): string => {
      const words = Object.values(options).map(({ flags, isRequired }) => (isRequired ? flags : `[${flags}]`))
      const spelled = [name, ...args.map((argument) => `<${argument}>`), ...words].join(" ")
      return spelled
        .replace(/<([a-z]+)\?>/g, (_, argument) => `[${argument.toUpperCase()}]`)
        .replace(/<([a-z]+)(\.\.\.)?>/g, (_, argument, many = "") => `${argument.toUpperCase()}${many}`)
    }
    const stores = { makes: "may create one", opens: "must exist", none: "is not used" }
    const listed = commands.map((row) => `| \`petstore ${usage(row)}\` | ${row.does} | ${stores[row.store]} |`)
    expect(
      section("Commands")
        .split("\n")
        .filter((line) => line.startsWith("| `")),
    ).toEqual(listed)
  })

  it("states how many pets of an import are stored in one transaction", () => {
    const [, number] = /animals are stored in transactions of up to (\d+)/.exec(section("Import")) ?? []
    expect(number).toBe(String(batchMaximum))
  })

  it("explains every petstore metric, and no other", async () => {
    const measured = (await measuredNames()).filter((name) => name.startsWith("petstore_"))
    const explained = rows("Metrics")
      .flatMap(([metric]) => names(metric))
      .filter((name) => /^petstore_\w+$/.test(name))
    expect(explained.toSorted()).toEqual(measured.toSorted())
  })

  it("names every alert, and has the section that each alert links to", () => {
    const rules = file("prometheus/alerts.yaml")
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const explained = rows("Metrics")
      .flatMap(([cell]) => names(cell))
      .filter((name) => name.startsWith("Petstore"))
    expect(alerts.length).toBeGreaterThan(0)
    expect(explained).toEqual(alerts)
    const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, anchor]) => anchor)
    expect(runbooks).toHaveLength(alerts.length)
    for (const anchor of runbooks) expect(anchorsOf(guide)).toContain(anchor)
  })

  it.each(["prometheus/alerts.yaml", "grafana-dashboard.json"])(
    "names only metrics that exist, and so does tools/deploy/%s",
    async (name) => {
      const measured = await measuredNames()
      const used = [...`${guide}${file(name)}`.matchAll(/\b(?:petstore|nodejs|process)_[a-z0-9_]+[a-z0-9]/g)].map(([metric]) =>
        metric.replace(/_(?:bucket|count|sum)$/, ""),
      )
      expect(used.length).toBeGreaterThan(20)
      expect(used.filter((metric) => !measured.includes(metric))).toEqual([])
    },
  )

  it("links only to files and headings that exist", () => {
    const leadsNowhere = (link: string): boolean => {
      const [path = "", anchor] = link.split("#")
      const target = join(root, "docs", path === "" ? "operations.md" : path)
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor))
    }
    const links = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target)
    expect(links.filter((link) => !link.startsWith("http") && leadsNowhere(link))).toEqual([])
  })
})
