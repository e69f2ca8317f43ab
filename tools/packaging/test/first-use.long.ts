/**
 * Installs the packages from a registry, and the app from its file, in an empty folder, as a newcomer does. Then runs the
 * code in every README.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { packAll, type Tarball } from "../src/pack.ts"
import { publishAll } from "../src/publish.ts"
import { app, publishedPackages } from "../src/published.ts"
import { type Registry, startRegistry } from "./registry.ts"

const exec = promisify(execFile)
const parent = mkdtempSync(join(tmpdir(), "petstore-first-use-"))
let registry: Registry
let tarballs: ReadonlyArray<Tarball>
const said: Array<string> = []

/** Runs a shell command in a folder, and returns its output. */
const shell = async (folder: string, line: string): Promise<string> => {
  const { stdout } = await exec("sh", ["-c", line], { cwd: folder, env: registry.environment })
  return stdout
}

const emptyFolder = (): string => mkdtempSync(join(parent, "folder-"))

/** The README in an installed package's folder. */
const readmeIn = (folder: string, name: string): string => readFileSync(join(folder, "node_modules", name, "README.md"), "utf8")

/** A README's code blocks in one of these languages. */
const blocks = (readme: string, languages: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`\`\`\`(?:${languages})\\n(.*?)\`\`\``, "gs"))].map(([, block = ""]) => block)

/** A program's output on a single line, regardless of the console's width, with double quotes as in our sources. */
const flat = (printed: string): string => printed.replaceAll(/\s+/g, " ").replaceAll("'", '"').trim()

/** The example programs in the READMEs of core and storage, keyed by file name. */
const programsOf = (folder: string) => {
  const [promises = "", conditions = "", effect = "", schema = "", map = "", use = "", suite = "", logs = "", ...moreOfCore] =
    blocks(readmeIn(folder, "@petstore/core"), "ts|js")
  const [layer = "", store = "", ...moreOfStorage] = blocks(readmeIn(folder, "@petstore/storage"), "ts|js")
  expect([...moreOfCore, ...moreOfStorage]).toEqual([])
  return {
    "promises.mts": promises,
    "conditions.mts": conditions,
    "effect.mts": effect,
    "schema.mts": schema,
    "map-of-pets.mts": map,
    "use-map.mts": use,
    "map-of-pets.test.mts": suite,
    "logs.mts": logs,
    "layer.mts": layer,
    "store.mts": store,
  }
}

/** The output that a comment declares for a program's last `console.log`. */
const shownBy = (text: string): string | undefined => [...text.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].at(-1)?.[1]

/** The app, installed from its file and serving in a folder. */
interface Service {
  readonly folder: string
  readonly origin: string
  readonly key: string
  readonly stop: () => Promise<void>
}

const startApp = async (): Promise<Service> => {
  const folder = emptyFolder()
  const file = tarballs.find(({ published }) => published === app)?.path ?? ""
  // The README comes from the tarball, where a newcomer reads it first.
  const readme = await shell(folder, `cp ${file} . && tar --extract --to-stdout --file ./petstore-*.tgz package/README.md`)
  const [commands = ""] = blocks(readme, "sh")
  const [install = "", serve = ""] = commands.trim().split("\n")
  await shell(folder, `npm init -y && ${install}`)
  const child = spawn("sh", ["-c", `exec ${serve}`], {
    cwd: folder,
    env: { ...registry.environment, PORT: "0" },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  for await (const chunk of child.stdout) {
    printed += chunk
    if (/Bearer \w+/.test(printed)) break
  }
  const closed = once(child, "close")
  return {
    folder,
    origin: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "",
    key: /Bearer (\w+)/.exec(printed)?.[1] ?? "",
    stop: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
      await closed
    },
  }
}

beforeAll(async () => {
  registry = await startRegistry()
  tarballs = packAll(parent)
  const published = tarballs.filter((tarball) => tarball.published !== app)
  const say = (line: string): void => void said.push(line)
  await publishAll(published, registry.environment, say)
  // Publishes one package a second time, as after a release that stopped halfway.
  await publishAll(published.slice(0, 1), registry.environment, say)
})
afterAll(async () => {
  await registry?.stop()
  rmSync(parent, { recursive: true, force: true })
})

it("a release publishes every package once, after its dependencies", () => {
  const releases = said.map((line) => line.replace(/@[\d.]+ /, " "))
  const [first, ...names] = publishedPackages.map(({ name }) => name)
  expect(releases.toSorted()).toEqual(
    [`${first} was already published`, ...[first, ...names].map((name) => `${name} published`)].toSorted(),
  )
  const place = (name: string): number => releases.indexOf(`${name} published`)
  expect(place("@petstore/storage")).toBeGreaterThan(Math.max(place("@petstore/core"), place("@petstore/sqljs")))
})

it.each(["npm install", "npx --yes pnpm@10 add"])("/promise runs next to Effect 4 if %s installs both", async (install) => {
  const place = emptyFolder()
  await shell(place, `npm init -y && ${install} effect@4 @petstore/core @petstore/storage`)
  writeFileSync(join(place, "promises.mts"), blocks(readmeIn(place, "@petstore/core"), "ts")[0] ?? "")
  expect(await shell(place, "node promises.mts")).toContain("pending: 1")
  const program = `
    import { createPet, getInventory } from "@petstore/core"
    import { Effect } from "effect"
    const told = ({ message }) => console.log(message)
    await Effect.runPromise(createPet({ name: "Bello", categoryId: 7n })).catch(told)
    await Effect.runPromise(Effect.gen(function* () { return yield* getInventory })).catch(told)`
  writeFileSync(join(place, "wrong.mjs"), program)
  const sentence = "@petstore/core makes Effects of effect 3, and effect 4 cannot run them."
  expect(await shell(place, "node wrong.mjs")).toMatch(new RegExp(`^(?:${sentence} Run them with effect 3 .*\n){2}$`))
})

describe("in an empty folder", () => {
  let service: Service
  let folder: string
  beforeAll(async () => {
    folder = emptyFolder()
    const names = publishedPackages.map(({ name }) => name).join(" ")
    const [started] = await Promise.all([startApp(), shell(folder, `npm init -y && npm install ${names} effect@3`)])
    service = started
  })
  afterAll(() => service?.stop())

  /** Runs a program in the folder. Node removes its types. */
  const program = async (text: string, name: string): Promise<string> => {
    writeFileSync(join(folder, name), text)
    return shell(folder, `node ${name}`)
  }

  it("the app, installed from a single file, responds as its README shows", async () => {
    const [, request = ""] = blocks(readmeIn(service.folder, "petstore"), "sh")
    const here = request.replace("http://127.0.0.1:3000", service.origin).replace("$PETSTORE_API_KEY", service.key)
    expect(await shell(service.folder, here)).toBe(blocks(readmeIn(service.folder, "petstore"), "json")[0]?.trim())
    expect(await shell(service.folder, "npx --no petstore keys list")).toContain("development")
    expect((await fetch(`${service.origin}/docs`)).status).toBe(200)
    expect((await fetch(`${service.origin}/store`)).status).toBe(200)
  })

  it("the app creates an account in a sql.js store", async () => {
    const environment = { ...registry.environment, DATABASE_URL: "sqljs:./without-native.db" }
    const made = await exec("npx", ["--no", "petstore", "accounts", "create", "shop"], { cwd: service.folder, env: environment })
    expect(made.stdout).toMatch(/^Account acc_\w+ created for "shop"\.$/m)
  })

  it("the app and its dependencies, without Node, take up less than 60 MB", async () => {
    const kibibytes = Number.parseInt(await shell(service.folder, "du -sk node_modules"), 10)
    expect(kibibytes).toBeGreaterThan(1_000)
    expect(kibibytes * 1_024).toBeLessThan(60_000_000)
  })

  it("the client does what its README shows", async () => {
    const [example = "", hooks = "", ...more] = blocks(readmeIn(folder, "@petstore/client"), "ts|js")
    expect(more).toEqual([])
    expect(await program(`import { createClient } from "@petstore/client"\n${hooks}`, "hooks.mts")).toBe("")
    const here = example.replace("http://127.0.0.1:3000", service.origin).replace("pst_dev_…", service.key)
    const printed = flat(await program(here, "client.mts"))
    const pet = /console\.log\(bello\) \/\/ (.*)/.exec(example)?.[1]?.replace(/id: \d+n/, "")
    expect(printed.replace(/id: \d+n/, "")).toContain(pet)
    expect(printed).toMatch(/ Bello invalid_body 400 [0-9]+-[0-9]+ name: .* Correct the fields/)
  })

  it("core and storage do what their READMEs show: with promises, with Effect, with schemas, on a custom adapter", async () => {
    const examples = programsOf(folder)
    const bello = '{"id":1,"name":"Bello","categoryId":9007199254740993,"status":"pending"}'
    expect(flat(await program(examples["promises.mts"], "promises.mts"))).toBe(
      `${bello} { ok: true, value: { available: 0, pending: 1, sold: 0, withoutStatus: 0, total: 1 } }`,
    )
    // The other members of an entry differ in each run.
    const logged = (await program(examples["logs.mts"], "logs.mts")).split("\n").map((line) => line.replace(/,"logLevel".*/, ""))
    const shown = [...examples["logs.mts"].matchAll(/^\/\/ (\{"message":\{[^}]*\})/gm)].map(([, entry]) => entry)
    expect(logged).toStrictEqual([...shown, ""])
    writeFileSync(join(folder, "map-of-pets.mts"), examples["map-of-pets.mts"])
    for (const name of ["conditions.mts", "effect.mts", "schema.mts", "use-map.mts", "layer.mts", "store.mts"] as const) {
      expect(flat(await program(examples[name], name)), name).toBe(shownBy(examples[name]))
    }
  })

  it.each(["5.9", "7"])(
    "core and storage compile with TypeScript %s, even if it checks every declaration and the Node types are missing",
    async (version) => {
      const examples = programsOf(folder)
      const names = [
        "promises.mts",
        "conditions.mts",
        "effect.mts",
        "schema.mts",
        "map-of-pets.mts",
        "use-map.mts",
        "logs.mts",
        "layer.mts",
        "store.mts",
      ] as const
      for (const name of names) writeFileSync(join(folder, name), examples[name])
      await shell(folder, `npm install --no-save typescript-${version}@npm:typescript@${version}`)
      expect(await shell(folder, "ls node_modules/@types 2> /dev/null || true")).not.toContain("node")
      const tsc = `node node_modules/typescript-${version}/bin/tsc`
      const options =
        "--noEmit --strict --exactOptionalPropertyTypes --target esnext --module nodenext --allowImportingTsExtensions"
      expect(await shell(folder, `${tsc} ${options} ${names.join(" ")} || true`)).toBe("")
    },
  )

  it("the program in the README of sqljs prints the output that the README shows", async () => {
    const readme = readmeIn(folder, "@petstore/sqljs")
    const [example = "", ...more] = blocks(readme, "ts|js")
    expect(more).toEqual([])
    expect(await program(example, "sqljs.mjs")).toBe(/The program prints\n\n```\n(.*?)```/s.exec(readme)?.[1])
  })

  it("the contract suite passes on the adapter in core's README", async () => {
    const examples = programsOf(folder)
    for (const name of ["map-of-pets.mts", "map-of-pets.test.mts"] as const) writeFileSync(join(folder, name), examples[name])
    await shell(folder, "npm install --save-dev vitest@5")
    expect(await shell(folder, "npx vitest run map-of-pets")).toMatch(/Tests .*\d+ passed/)
  })

  it.each(["5.9", "7.0"])("TypeScript %s compiles the client without any platform types", async (version) => {
    const place = emptyFolder()
    const client = tarballs.find(({ published }) => published.name === "@petstore/client")?.path
    await shell(place, `npm init -y && npm install ${client} typescript@${version}`)
    const [example = ""] = blocks(readmeIn(place, "@petstore/client"), "ts|js")
    writeFileSync(join(place, "client.mts"), `declare const console: { log(...values: Array<unknown>): void }\n${example}`)
    const options = "--noEmit --strict --exactOptionalPropertyTypes --target es2024 --lib es2024 --module nodenext"
    expect(await shell(place, `node node_modules/typescript/bin/tsc ${options} client.mts 2>&1 || true`)).toBe("")
  })
})
