/** Tests how log lines reach a file descriptor that several processes share. */
import { execFileSync } from "node:child_process"
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs"
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
  return {
    destination: logDestination(descriptor, (lines) => `${lines} lines are missing\n`),
    text: () => readFileSync(file, "utf8"),
  }
}

it("logDestination writes complete lines, and at most the 4096 bytes at once that a pipe accepts atomically", () => {
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

it("logDestination writes an error at once, after the earlier lines", () => {
  const { destination, text } = open()
  const logger = pino({ base: null, timestamp: false }, forPino(destination))
  logger.info("before")
  expect(text()).toBe("")
  logger.error("now")
  expect(text()).toBe('{"level":30,"msg":"before"}\n{"level":50,"msg":"now"}\n')
  // A line that pino did not write does not count as an error.
  destination.write("after\n")
  expect(text()).not.toContain("after")
  destination.flush()
})

it("logDestination writes a buffered line after a short time", async () => {
  const { destination, text } = open()
  destination.write("alone\n")
  while (text() === "") await new Promise((resolve) => setTimeout(resolve, 10))
  expect(text()).toBe("alone\n")
})

it("logDestination drops and counts lines while a pipe's reader does not read, and then continues", async () => {
  const pipe = join(temporaryFolder(), "pipe")
  execFileSync("mkfifo", [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  onTestFinished(() => {
    for (const descriptor of [reader, writer]) closeSync(descriptor)
  })
  const destination = logDestination(writer, (lines) => `${lines} are missing\n`)
  const written = 40_000
  const startedAtMillis = performance.now()
  for (let line = 0; line < written; line += 1) destination.write(`${String(line).padStart(99, "0")}\n`)
  destination.flush()
  expect(performance.now() - startedAtMillis).toBeLessThan(5_000)

  let text = ""
  const buffer = Buffer.alloc(65_536)
  const read = (): void => {
    text += buffer.toString("latin1", 0, readSync(reader, buffer))
  }
  while (!text.includes("are missing\n")) {
    read()
    destination.flush()
  }
  const lines = text.trimEnd().split("\n")
  const missing = Number(/^(\d+) are missing$/.exec(lines.at(-1) ?? "")?.[1])
  expect(missing).toBeGreaterThan(0)
  expect(lines.length - 1 + missing).toBe(written)
  expect(lines.slice(0, -1).every((line, index) => Number(line) === index)).toBe(true)
  destination.write("again\n")
  destination.flush()
  read()
  expect(text.endsWith("again\n")).toBe(true)
})
