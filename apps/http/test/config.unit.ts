/** Tests that `decodeConfig` reports all problems at once, without secrets in the messages. */
import { Either, Option } from "effect"
import { expect, it } from "vitest"
import { decodeConfig } from "../src/config.js"

const problemsOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Either.match(decodeConfig(environment), { onLeft: ({ problems }) => problems, onRight: () => [] })

it("decodeConfig names every invalid setting, with its value and the expected form", () => {
  expect(problemsOf({ PORT: "many", WORKERS: "-1", HOST: "127.0.0.1" })).toStrictEqual([
    expect.stringMatching(/^PORT: expected .+, got "many"$/),
    expect.stringMatching(/^WORKERS: expected .+, got "-1"$/),
  ])
})

it.each([
  ["postgress://ann:hush@db/pets", "postgress://***@db/pets"],
  ["postgres:/ann:hush@db/pets", "postgres:/***@db/pets"],
  ["postgres://ann:p@ss#w/rd%@db", "postgres://***@db"],
  ["postgres:p@ss#w/rd%@db", "postgres:***@db"],
  ["ann:hush@db/pets", "ann:***@db/pets"],
  ["mysql:pets?password=hush&sslmode=require", "mysql:pets?password=***&sslmode=require"],
])("decodeConfig masks the password of %s in its message", (url, shown) => {
  const [problem] = problemsOf({ DATABASE_URL: url })
  expect(problem).toContain(`got "${shown}"`)
})

it.each(["production", "staging"])("decodeConfig does not choose a store for %s", (deployment) => {
  const problem = expect.stringMatching(/^DATABASE_URL: expected .+, because PETSTORE_ENV is not development, got ""$/)
  expect(problemsOf({ PETSTORE_ENV: deployment })).toStrictEqual([problem])
  expect(problemsOf({ PETSTORE_ENV: deployment, DATABASE_URL: "" })).toStrictEqual([problem])
  expect(problemsOf({ PETSTORE_ENV: deployment, DATABASE_URL: "memory:" })).toStrictEqual([])
})

it.each(["HOST", "DATABASE_URL", "PETSTORE_ENV"])("decodeConfig refuses white space at an end of %s", (variable) => {
  const values = { HOST: "127.0.0.1", DATABASE_URL: "sqlite:./x.db", PETSTORE_ENV: "development" }
  for (const end of [" ", "\r", "\t"])
    expect(problemsOf({ ...values, [variable]: `${Reflect.get(values, variable)}${end}` })).toHaveLength(1)
})

it("decodeConfig masks nothing in a setting without a secret", () => {
  expect(problemsOf({ PORT: "//a@b" })).toStrictEqual([expect.stringContaining('got "//a@b"')])
})

it("decodeConfig treats an empty variable as absent, and records whether PETSTORE_ENV was set", () => {
  const config = Either.getOrThrow(decodeConfig({ PORT: "", PETSTORE_ENV: "" }))
  expect([config.port, config.deployment, config.namedDeployment]).toStrictEqual([3000, "development", Option.none()])
  const named = Either.getOrThrow(decodeConfig({ PETSTORE_ENV: "development" }))
  expect(named.namedDeployment).toStrictEqual(Option.some("development"))
})
