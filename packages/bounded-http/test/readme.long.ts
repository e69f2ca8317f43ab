/** The README's programs run as they are, but on any free port. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { expect, it, onTestFinished } from "vitest"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const programs = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, program = ""]) => program)

const [hello = ""] = programs

/** Prints the port of each server, and imports what the first program has shown. */
const complete = (program: string): string => {
  const importing = program === hello ? "" : 'import { createBoundedServer } from "@petstore/bounded-http"\n'
  return `import { Server } from "node:http"
    const { listen } = Server.prototype
    Server.prototype.listen = function (...given) {
      return Reflect.apply(listen, this, given).once("listening", () => console.log(this.address().port))
    }
    ${importing}${program.replaceAll(/(?<=listen\(|port: )3000/g, "0")}`
}

const start = async (program: string) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", complete(program)], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [port] = await once(createInterface(child.stdout), "line")
  return { child, url: `http://127.0.0.1:${port}/` }
}

it("there are six programs", () => expect(programs).toHaveLength(6))

it("the first program responds, and SIGTERM ends it without an error", async () => {
  const { child, url } = await start(hello)
  expect(await (await fetch(url)).text()).toBe("hello")
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  expect(await exited).toStrictEqual([0, null])
})

it.for(programs.slice(1).map((program) => [program.split("\n", 1)[0], program] as const))(
  "the program responds that begins with %s",
  async ([, program]) => {
    const response = await fetch((await start(program)).url)
    expect([response.status, await response.text()]).toStrictEqual([
      200,
      program.includes("report") ? "x".repeat(5_000_000) : "hello",
    ])
  },
)
