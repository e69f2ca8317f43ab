/** Checks the systemd unit with systemd itself. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { startMachine } from "./systemd-machine.ts"

const root = join(import.meta.dirname, "../../..")
const unit = readFileSync(join(root, "tools/deploy/petstore.service"), "utf8")

const analyze = (...args: ReadonlyArray<string>): string => {
  try {
    return execFileSync("systemd-analyze", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (thrown) {
    // Safe: execFileSync adds the output to the error of a command that exited with a failure.
    const { stderr, stdout, message } = thrown as { stderr?: string; stdout?: string; message: string }
    return `${stdout ?? ""}${stderr ?? message}`
  }
}

/** Writes the unit to a file in which this repository takes the place of the release, so that the unit's commands exist. */
const unitFile = (): string => {
  const file = join(temporaryFolder(), "petstore.service")
  writeFileSync(file, unit.replaceAll("/opt/petstore/current", root))
  return file
}

it("systemd accepts the unit without a warning", () => {
  expect(analyze("verify", "--man=no", unitFile())).toBe("")
})

it("systemd reports an exposure level below 2 for the unit", () => {
  const report = analyze("security", "--offline=true", unitFile())
  const exposure = Number(/exposure level[^:]*: ([0-9.]+)/.exec(report)?.[1])
  // A level of 10 means no protection at all. The remaining exposure comes from the network and the JIT compiler.
  expect(exposure, report).toBeLessThan(2)
})

it("the guide sets up a machine without the service, and its key works before and after a reload and a restart", async () => {
  const guide = readFileSync(join(root, "docs/operations.md"), "utf8")
  const [, section = ""] = /^\*\*With systemd\.\*\*(.*?)^\*\*With /ms.exec(guide) ?? []
  const walk = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join("")
  const run = await startMachine(root)
  // The machine already has a built release: a bind mount of this repository replaces the clone.
  const commands = walk
    .split("\n")
    .filter((line) => !line.startsWith("git clone "))
    .map((line) => line.replace(/ && npm ci && npm run build$/, "").replace(/\/opt\/petstore\/[0-9-]+/g, "/opt/petstore/release"))
  expect(commands).toContain("systemctl enable --now petstore")
  const said = run(commands.join("\n"))
  expect(said).toContain('"status":"ready"')
  const [key] = /pst_live_\w{38}/.exec(said) ?? []
  expect(key).toBeDefined()

  const status = `curl -sS -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer ${key}' http://127.0.0.1:3000/v1/pets`
  expect(run(status)).toBe("200")
  run("systemctl reload petstore")
  expect(run(status)).toBe("200")
  run("systemctl restart petstore; curl -fsS --retry 10 --retry-connrefused http://127.0.0.1:3000/readyz")
  expect(run(status)).toBe("200")
  expect(run("curl -fsS http://127.0.0.1:9464/metrics")).toContain("petstore_pets{")
  // The command works in any folder. It reads standard input, because the service's user cannot read files in /root.
  expect(run("cd /root; printf 'name,categoryId\\nMia,1\\n' | petstore import --format csv -")).toContain("1 kept")
  expect(run("ls -l /var/lib/petstore/petstore.db")).toMatch(/^-rw------- 1 petstore petstore /)
  const journal = run("journalctl -u petstore -o cat").split("\n")
  const ours = journal.filter((line) => line !== "" && !/petstore\.service|pet store inventory service/.test(line))
  expect(ours.length).toBeGreaterThan(3)
  for (const line of ours) expect(() => JSON.parse(line), line).not.toThrow()
})
