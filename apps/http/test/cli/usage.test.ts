/** Usage errors: one line that says what to do next, and an exit code. */
import { readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"

const said = (...args: ReadonlyArray<string>) => openWorkplace().run(args)

describe("petstore", () => {
  it.each([
    [["exprot", "x"], "unknown command 'exprot'", "export", "petstore help"],
    [["keys", "revok"], "unknown command 'revok'", "revoke", "petstore help keys"],
    [["export", "x.csv", "--formt", "csv"], "unknown option '--formt'", "--format", "petstore help export"],
  ])("reports %j in one line that names the closest match and the help", async (args, problem, nearest, help) => {
    const { exitCode, stdout, stderr } = await said(...args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toBe(`petstore: ${problem} (Did you mean ${nearest}?) See: ${help}\n`)
  })

  it.each([
    [["frobnicate"], "petstore: unknown command 'frobnicate'. See: petstore help\n"],
    [["export"], "petstore: missing required argument 'file'. See: petstore help export\n"],
    [["keys", "create"], "petstore: required option '--account <name>' not specified. See: petstore help keys create\n"],
    [["accounts", "list", "x"], /^petstore: too many arguments.* See: petstore help accounts list\n$/],
  ])("reports %j in one line", async (args, line) => {
    const { exitCode, stderr } = await said(...args)
    expect(exitCode).toBe(2)
    expect(stderr).toEqual(typeof line === "string" ? line : expect.stringMatching(line))
  })

  it("prints its version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    expect(await said("--version")).toEqual({
      exitCode: 0,
      stdout: `petstore ${version}, Node.js ${process.version}\n`,
      stderr: "",
    })
  })

  it("shows help for a command of two words", async () => {
    const { exitCode, stdout } = await said("help", "keys", "create")
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("Usage: petstore keys create [options]"),
    })
  })
})

it("deprecations reports that no key has called a deprecated operation, and keys create says how to use a new key", async () => {
  const place = openWorkplace({ HOST: "::" })
  await place.run(["accounts", "create", "shop"])
  expect(await place.run(["deprecations"])).toMatchObject({ stdout: "No API key has called a deprecated operation.\n" })
  const { stdout, stderr } = await place.run(["keys", "create", "--account", "shop", "--json"])
  expect(JSON.parse(stdout)).toMatchObject({ key: expect.stringMatching(/^pst_dev_/) })
  expect(stderr).toMatch(
    /^petstore: Next: export PETSTORE_API_KEY=<the key>, and send it .*: curl -H .* http:\/\/127\.0\.0\.1:\d+\/v1\/pets\n$/,
  )
})

describe("petstore import", () => {
  it("uses the singular for one pet", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("two.ndjson"), '{"name":"Bello","categoryId":1}\n{"name":""}\n')
    const { stdout, stderr } = await place.run(["import", "two.ndjson"])
    expect(stdout).toBe("2 animals read, 1 kept, 1 rejected.\n")
    expect(stderr).toContain("petstore: 1 of 2 rows was rejected, and 1 was kept.\n")
  })

  it("finds the delimiter, reads with a given one, and refuses invalid ones", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "categoryId\tname\n7\tBello\n")
    expect(await place.run(["import", "pets.csv", "--delimiter", "tab"])).toMatchObject({ exitCode: 0 })
    for (const [delimiter, name] of [
      [";", "Bello; the dog"],
      ["|", "Bello| the dog"],
      ["\t", "Bello\tthe dog"],
      [",", "Bello, the dog"],
    ]) {
      writeFileSync(place.path("pets.csv"), `name${delimiter}categoryId\n"${name}"${delimiter}1\n`)
      expect(await place.run(["import", "pets.csv"])).toMatchObject({ exitCode: 0 })
      expect((await place.run(["export", "-"])).stdout).toContain(`"name":${JSON.stringify(name)},`)
    }
    for (const delimiter of ["", '"', ";;", "\n"]) {
      const { exitCode, stderr } = await place.run(["import", "pets.csv", "--delimiter", delimiter])
      expect({ exitCode, lines: stderr.trimEnd().split("\n").length }).toEqual({ exitCode: 2, lines: 1 })
    }
    writeFileSync(place.path("pets.ndjson"), "")
    expect(await place.run(["import", "pets.ndjson", "--delimiter", ";"])).toMatchObject({ exitCode: 2 })
  })
})
