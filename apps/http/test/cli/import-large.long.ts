import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

/** Prints the largest resident set, in kB, when the process exits. */
const report = encodeURIComponent('process.on("exit",()=>process.stderr.write("maxRSS="+process.resourceUsage().maxRSS+"\\n"))')

it("an import reports its progress line by line, and uses less than 300 000 kB of memory for 200 000 pets", async () => {
  const place = openWorkplace()
  const file = createWriteStream(place.path("many.ndjson"))
  for (let thousand = 0; thousand < 200; thousand += 1) {
    file.write(
      Array.from({ length: 1_000 }, (_, index) => `{"name":"pet ${thousand * 1_000 + index}","categoryId":1}\n`).join(""),
    )
  }
  await once(file.end(), "close")
  const child = place.start(["import", "many.ndjson"], { NODE_OPTIONS: `--import=data:text/javascript,${report}` })
  let said = ""
  child.stderr.on("data", (chunk) => {
    said += chunk
  })
  await once(child, "close")
  expect(said).toMatch(/import: 10[0-9]{4} animals/)
  const store = new DatabaseSync(place.path("store.db"), { readOnly: true })
  expect(store.prepare("SELECT count(*) AS pets FROM pets").get()).toEqual({ pets: 200_000 })
  store.close()
  expect(Number(/maxRSS=([0-9]+)/.exec(said)?.[1])).toBeLessThan(300_000)
})
