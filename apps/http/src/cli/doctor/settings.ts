/** Finds settings that are well formed but do not fit together. */
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { isEphemeral } from "@petstore/storage"
import { Option } from "effect"
import type { Config } from "../../config.js"
import { isLoopback, unsafeSettings } from "../../process/safety.js"
import { type Finding, ok, problem, warning } from "./finding.js"

const about = "settings"

/** How many files this process can open, if Linux reports the limit (proc(5)). Node raises its soft limit to the hard limit. */
const openFileLimit = (): number | undefined => {
  try {
    const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return hard === undefined ? undefined : Number(hard)
  } catch {
    return undefined
  }
}

/** How many files a process may open in addition to its connections: the store, its log, the output and Node's own files. */
const otherFiles = 100

/** Findings about the settings on this machine, or a single `ok` if nothing is wrong. */
export const settingsFindings = (
  config: Config,
  machine = { cores: availableParallelism(), openFiles: openFileLimit() },
): ReadonlyArray<Finding> => {
  const { host, port, adminHost, adminPort, headMillis, requestMillis, workers, connectionLimit, tlsInFront } = config
  const admin = Option.getOrUndefined(adminPort)
  const findings: Array<Finding> = unsafeSettings(config).map((sentence) => problem(about, `${sentence}.`))
  if (admin !== undefined && admin !== 0 && admin === port && adminHost === host) {
    findings.push(problem(about, `ADMIN_PORT and PORT are both ${port}.`, "Set a different ADMIN_PORT."))
  }
  if (admin !== undefined && !isLoopback(adminHost)) {
    const says = `ADMIN_HOST ${adminHost} lets other machines read the metrics without a key.`
    findings.push(warning(about, says, "Set ADMIN_HOST=127.0.0.1, or block other machines."))
  }
  if (headMillis > requestMillis) {
    const says = `HEAD_MS ${headMillis} is longer than REQUEST_MS ${requestMillis}, which cuts the request off first.`
    findings.push(warning(about, says, "Set REQUEST_MS to more than HEAD_MS."))
  }
  const bases = { PUBLIC_BASE_URL: config.publicBaseUrl, STAGING_BASE_URL: config.stagingBaseUrl }
  for (const [variable, base] of Object.entries(bases)) {
    if (tlsInFront && Option.exists(base, (url) => url.startsWith("http:"))) {
      const says = `${variable} begins with http:, but TLS_IN_FRONT=on says that clients use TLS.`
      findings.push(warning(about, says, `Set ${variable} to an https address.`))
    }
  }
  if (workers > machine.cores) {
    const says = `WORKERS ${workers} is more than the ${machine.cores} cores of this machine.`
    findings.push(warning(about, says, `Set WORKERS=${machine.cores}.`))
  }
  if (machine.openFiles !== undefined && machine.openFiles < connectionLimit + otherFiles) {
    const says = `A process can open only ${machine.openFiles} files, but CONNECTION_LIMIT is ${connectionLimit}.`
    const remedy = `Allow more (ulimit -n ${connectionLimit + otherFiles}), or set a lower CONNECTION_LIMIT.`
    findings.push(warning(about, says, remedy))
  }
  if (isEphemeral(config.database) && config.deployment !== "production") {
    const says = "DATABASE_URL names an in-memory store, which is lost with its process."
    findings.push(warning(about, says, "Name a persistent one."))
  }
  return findings.length === 0 ? [ok(about, "They fit together.")] : findings
}
