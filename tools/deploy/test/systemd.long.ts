/** The systemd unit, as systemd itself judges it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "../../..")
const unit = readFileSync(join(root, "tools/deploy/petstore.service"), "utf8")

const analyze = (...args: ReadonlyArray<string>): string => {
  try {
    return execFileSync("systemd-analyze", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (thrown) {
    // Safe: execFileSync adds the output to the error of a command that ran.
    const { stderr, stdout, message } = thrown as { stderr?: string; stdout?: string; message: string }
    return `${stdout ?? ""}${stderr ?? message}`
  }
}

/** The unit as a file whose commands exist: the release is this repository. */
const unitFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-unit-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, "petstore.service")
  writeFileSync(file, unit.replaceAll("/opt/petstore/current", root))
  return file
}

it("is a unit that systemd takes without a warning", () => {
  expect(analyze("verify", "--man=no", unitFile())).toBe("")
})

it("is exposed to little, by the measure of systemd", () => {
  const report = analyze("security", "--offline=true", unitFile())
  const exposure = Number(/exposure level[^:]*: ([0-9.]+)/.exec(report)?.[1])
  // 10 is a service without any protection, 9.6 one without a line; what is left here is the network and the JIT compiler.
  expect(exposure, report).toBeLessThan(2)
})
