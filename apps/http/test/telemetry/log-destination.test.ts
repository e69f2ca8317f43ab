/** How log lines reach a file descriptor that several processes write to. */
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { pino } from "pino"
import { expect, it, onTestFinished } from "vitest"
import { logDestination } from "../../src/telemetry/log-destination.js"
import { forPino } from "../../src/telemetry/logger.js"

const open = () => {
  const file = join(temporaryFolder(), "log")
  const descriptor = openSync(file, "a")
  onTestFinished(() => closeSync(descriptor))
  return { destination: logDestination(descriptor), text: () => readFileSync(file, "utf8") }
}

it("writes whole lines, and no more at once than a pipe takes in one piece", () => {
  const { destination, text } = open()
  const line = `${"é".repeat(100)}\n`
  const sizes = new Set<number>()
  for (let written = 0; written < 100; written += 1) {
    destination.write(line)
    sizes.add(Buffer.byteLength(text()))
  }
  const steps = [...sizes].map((size, index, all) => size - (all[index - 1] ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(4_096)
  expect(sizes.size).toBeLessThan(10)
  destination.flush()
  expect(text()).toBe(line.repeat(100))
})

it("writes an error at once, with what came before it", () => {
  const { destination, text } = open()
  const logger = pino({ base: null, timestamp: false }, forPino(destination))
  logger.info("before")
  expect(text()).toBe("")
  logger.error("now")
  expect(text()).toBe('{"level":30,"msg":"before"}\n{"level":50,"msg":"now"}\n')
  // A line that does not come from pino is none of its errors.
  destination.write("after\n")
  expect(text()).not.toContain("after")
  destination.flush()
})

it("writes a line that waits for others before long", async () => {
  const { destination, text } = open()
  destination.write("alone\n")
  while (text() === "") await new Promise((resolve) => setTimeout(resolve, 10))
  expect(text()).toBe("alone\n")
})
