import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../../../packages/core/src")
const files = globSync("**/*.ts", { cwd: root }).filter((file) => !/^(?:contract|promise|testing)\//.test(file))

it("core's domain does not mention HTTP", () => {
  expect(files.length).toBeGreaterThan(20)
  const ofHttp =
    /\bHTTP\b|\b[Hh]eaders?\b|\bstatus code|"\/v1|\b(?:GET|POST|PUT|DELETE) \/|\bAuthorization\b|\bBearer\b|\bRFC (?:6750|9110|9745)\b/
  for (const file of files) expect(readFileSync(join(root, file), "utf8"), file).not.toMatch(ofHttp)
})
