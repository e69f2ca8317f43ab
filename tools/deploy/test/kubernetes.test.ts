/** Checks the Kubernetes manifests against the API's types and the service's guarantees. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"

const root = join(import.meta.dirname, "../../..")
const types = dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"))

const objectsOf = (name: string) =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, `../kubernetes/${name}.yaml`), "utf8")).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

/** The compiler's errors for objects, each checked against the type of its `apiVersion` and `kind`. */
const faultsOf = (objects: ReadonlyArray<{ apiVersion: string; kind: string }>): string => {
  const folder = temporaryFolder()
  const lines = objects.map((object, index) => {
    // The core group has no name, so its apiVersion is `v1`. The other groups have one, for example `apps/v1`.
    const module = object.apiVersion === "v1" ? "core/v1" : object.apiVersion.replace(/\.k8s\.io\//, "/")
    const type = `import(${JSON.stringify(join(types, module))}).${object.kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(object)}`
  })
  writeFileSync(join(folder, "manifests.ts"), lines.join("\n"))
  try {
    const tsc = join(root, "node_modules/typescript/lib/tsc.js")
    const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--types", "", "--lib", "es2024"]
    execFileSync(process.execPath, [tsc, ...flags, join(folder, "manifests.ts")], { encoding: "utf8", stdio: "pipe" })
    return ""
  } catch (thrown) {
    // Safe: execFileSync adds the output to the error of a command that exited with a failure.
    return (thrown as { stdout: string }).stdout
  }
}

describe.each(["postgres", "sqlite"])("the manifest for %s", (name) => {
  const objects = objectsOf(name)
  const workload = objects.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
  const pod = workload.spec.template.spec
  const [container] = pod.containers
  const settings = objects.find(({ kind }) => kind === "ConfigMap").data

  it("matches the types of the Kubernetes API, and has no unknown fields", () => {
    expect(faultsOf(objects)).toBe("")
    const misspelt = structuredClone(workload)
    misspelt.spec.template.spec.containers[0].livenesProbe = {}
    expect(faultsOf([misspelt])).toContain("livenesProbe")
    const incomplete = structuredClone(workload)
    delete incomplete.spec.template.spec.containers[0].name
    expect(faultsOf([incomplete])).toContain("name")
  })

  it("selects its own pods in every selector, and refers only to ports of these pods", () => {
    const { labels } = workload.spec.template.metadata
    expect(workload.spec.selector.matchLabels).toEqual(labels)
    for (const { kind, spec } of objects) {
      if (kind === "Service") expect(spec.selector).toEqual(labels)
      if (kind === "PodDisruptionBudget") expect(spec.selector.matchLabels).toEqual(labels)
      if (kind === "NetworkPolicy") expect(spec.podSelector.matchLabels).toEqual(labels)
    }
    const ports = container.ports.map(({ name: port }: { name: string }) => port)
    expect(ports).toContain(objects.find(({ kind }) => kind === "Service").spec.ports[0].targetPort)
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      expect(ports).toContain(container[probe].httpGet.port)
    expect(settings.ADMIN_PORT).toBe(String(container.ports[1].containerPort))
  })

  it("checks startup and liveness with /healthz, and readiness with /readyz", () => {
    expect(container.livenessProbe.httpGet.path).toBe("/healthz")
    expect(container.startupProbe.httpGet.path).toBe("/healthz")
    expect(container.readinessProbe.httpGet.path).toBe("/readyz")
  })

  it("delays shutdown while Kubernetes still routes requests to the pod, and allows time for the delay and the shutdown", () => {
    const [command, seconds] = container.lifecycle.preStop.exec.command
    expect(command).toBe("sleep")
    const shutdownSeconds = 10
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + shutdownSeconds)
  })

  it("runs the service as a non-root user, on a read-only file system, with a memory limit", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    expect(container.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true })
    expect(container.resources.limits.memory).toMatch(/^[0-9]+Mi$/)
  })

  it("sets only variables that docs/reference/settings.md documents", () => {
    const explained = readFileSync(join(root, "docs/reference/settings.md"), "utf8")
    for (const variable of Object.keys(settings)) expect(explained).toContain(`\`${variable}\``)
  })
})

it("the manifest for SQLite runs one pod, on volumes that only one node can use", () => {
  const [, workload] = objectsOf("sqlite")
  expect(workload).toMatchObject({ kind: "StatefulSet", spec: { replicas: 1 } })
  const modes = workload.spec.volumeClaimTemplates.map(({ spec }: { spec: { accessModes: unknown } }) => spec.accessModes)
  expect(modes).toEqual([["ReadWriteOnce"], ["ReadWriteOnce"]])
})

describe("the jobs for SQLite", () => {
  const [, workload] = objectsOf("sqlite")
  const [backup, trial] = objectsOf("sqlite-backup")
  const [restore] = objectsOf("sqlite-restore")
  const templates = [backup, trial].map(({ spec }) => spec.jobTemplate.spec.template).concat(restore.spec.template)

  it("match the types of the Kubernetes API, and have no unknown fields", () => {
    expect(faultsOf([backup, trial, restore])).toBe("")
    const misspelt = structuredClone(backup)
    misspelt.spec.shedule = misspelt.spec.schedule
    expect(faultsOf([misspelt])).toContain("shedule")
  })

  it("use the service's volumes, image, settings and restrictions, and get none of its requests", () => {
    const [service] = workload.spec.template.spec.containers
    const claims = workload.spec.volumeClaimTemplates.map(
      ({ metadata }: { metadata: { name: string } }) => `${metadata.name}-${workload.metadata.name}-0`,
    )
    for (const { metadata, spec } of templates) {
      const [container] = spec.containers
      expect(
        spec.volumes.map((volume: { persistentVolumeClaim: { claimName: string } }) => volume.persistentVolumeClaim.claimName),
      ).toEqual(claims)
      expect(container).toMatchObject({
        image: service.image,
        envFrom: service.envFrom,
        securityContext: service.securityContext,
      })
      expect(container.resources.limits).toEqual(service.resources.limits)
      expect(spec.securityContext).toMatchObject(workload.spec.template.spec.securityContext)
      expect(metadata.labels).not.toEqual(workload.spec.template.metadata.labels)
    }
  })

  it("make and try backups on the service's node, and restore when there is no service", () => {
    for (const { spec } of templates.slice(0, 2)) {
      const [term] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
      expect(term.labelSelector).toEqual(workload.spec.selector)
    }
    expect(templates[2].spec.affinity).toBeUndefined()
  })
})

it("the manifest for PostgreSQL runs several pods, and keeps all of them available during a rollout", () => {
  const [, workload] = objectsOf("postgres")
  expect(workload).toMatchObject({ kind: "Deployment", spec: { strategy: { rollingUpdate: { maxUnavailable: 0 } } } })
  expect(workload.spec.replicas).toBeGreaterThan(1)
})
