/** A service of two workers, and its log. */
import { environmentIn } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"

export const twoWorkers = (settings: Readonly<Record<string, string>> = {}): Promise<Service> =>
  serve(environmentIn(temporaryFolder(), { WORKERS: "2", ...settings }))

/** The messages of the log, the lines of requests included. */
export const messages = (service: Service): ReadonlyArray<unknown> => service.logLines().map(({ msg }) => msg)

/** Lines of the log that alert an operator. */
export const faults = (service: Service): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  service.logLines().filter(({ level }) => Number(level) >= 50)

/** What the primary logs before and after it replaces its workers. */
export const replacing = "replacing the workers one by one"
export const replaced = "every worker was replaced"
