/**
 * Runs the longest test files first, so that no worker starts a long file at the end. Vitest sorts files by how long they took
 * in the last run. In a fresh clone, Vitest would sort by file size, but the slowest files import their tests from elsewhere.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const long =
  /\/(?:orders-race|metrics|quickstart|backup|restore|contract|sqljs-contract|crash|connection|locks|credentials|model|import)\.test\.ts$/

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
