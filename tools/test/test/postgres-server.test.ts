/** What a program becomes that imports the PostgreSQL server of the tests. */
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"

it.each([0, 1, 2])("leaves the exit code of a program alone: %i", (code) => {
  const program = `import "@petstore/test/postgres-server"; process.exitCode = ${code}`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  })
  expect(stderr).toBe("")
  expect(status).toBe(code)
})
