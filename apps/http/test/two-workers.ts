/** A service with two workers, and its log. */
import { environmentIn } from "@petstore/harness/command"
import type { Service } from "@petstore/harness/serving"
import { serve, temporaryFolder } from "@petstore/harness/testing"

export const twoWorkers = (settings: Readonly<Record<string, string>> = {}): Promise<Service> =>
  serve(environmentIn(temporaryFolder(), { WORKERS: "2", ...settings }))

export const messages = (service: Service): ReadonlyArray<unknown> => service.logLines().map(({ msg }) => msg)

/** Log lines at level error or fatal. */
export const faults = (service: Service): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  service.logLines().filter(({ level }) => level === "error" || level === "fatal")

/** The primary's messages before and after it replaces its workers. */
export const replacing = "replacing the workers one by one"
export const replaced = "every worker was replaced"
