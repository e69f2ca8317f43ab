/** A service of two workers, and what it said. */
import { environmentIn, ServiceProcess, temporaryFolder } from "./service-process.js"

export const twoWorkers = (settings: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
  ServiceProcess.serving(environmentIn(temporaryFolder(), { WORKERS: "2", ...settings }))

/** The messages of the log, the lines of requests included. */
export const messages = (service: ServiceProcess): ReadonlyArray<unknown> => service.logLines().map(({ msg }) => msg)

/** Lines of the log that an operator is woken by. */
export const faults = (service: ServiceProcess): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  service.logLines().filter(({ level }) => Number(level) >= 50)

/** What the primary says before and after it replaces its workers. */
export const replacing = "replacing the workers one by one"
export const replaced = "every worker was replaced"
