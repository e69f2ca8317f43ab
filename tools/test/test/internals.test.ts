/** `npm run check -- internals` reports what only one file may use of Node, and sockets in the apps. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "../../..")

const resultOf = (file: string, source: string): readonly [status: number | null, output: string] => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-internals-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ["packages/bounded-http/src", "apps/http/src", "apps/quickstart/src", dirname(file)])
    mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, file), source)
  execFileSync("git", ["init", "--quiet"], { cwd: folder })
  const { status, stdout } = spawnSync("sh", [join(root, ".ci/check"), "internals"], { cwd: folder, encoding: "utf8" })
  return [status, stdout]
}

const connection = "packages/bounded-http/src/connection.ts"

it.for([
  [connection, "socket._handle?.readStop()"],
  [connection, 'socket["_handle"]'],
  [connection, "const { _header: head } = response"],
  [connection, "socket.destroySoon = end"],
  [connection, "request.push = join"],
  [connection, "parser[parser.constructor.kOnExecute]"],
  [connection, "Object.getOwnPropertySymbols(socket)"],
  [connection, "socket.parser.execute(bytes)"],
  [connection, "response.shouldKeepAlive = false"],
  ["apps/http/src/http/app.ts", "response._header = head"],
  ["apps/http/src/http/app.ts", 'import { isIP } from "node:net"'],
  ["apps/quickstart/src/main.ts", "request.socket.remoteAddress"],
] as const)("is reported in %s: %s", ([file, source]) => {
  expect(resultOf(file, source)).toStrictEqual([1, expect.stringContaining(`${file}:1:${source}`)])
})

it.for([
  ["packages/bounded-http/src/node.ts", "socket._handle?.readStop()"],
  [connection, "const ignored = ({ _tag }: Failure, _request: unknown) => failure._tag"],
  [connection, "socket.pause()"],
] as const)("is not reported in %s: %s", ([file, source]) => {
  expect(resultOf(file, source)).toStrictEqual([0, "internals  ok\n"])
})
