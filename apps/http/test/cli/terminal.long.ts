/** Command output on an 80-column terminal, which `script` from Debian's bsdutils emulates. */
import { writeFileSync } from "node:fs"
import { commandPath, runProgram } from "@petstore/harness/command"
import { openWorkplace } from "@petstore/harness/testing"
import { expect, it } from "vitest"

const onTerminal = async (folder: string, command: string): Promise<string> => {
  const typed = `stty cols 80 rows 24; '${commandPath("petstore")}' ${command}`
  const { stdout } = await runProgram({ PATH: "/usr/bin:/bin" }, "/usr/bin/script", ["-qec", typed, "/dev/null"], { folder })
  return stdout.replaceAll("\r\n", "\n")
}

it("petstore help breaks a line only where the next word does not fit", async () => {
  const help = await onTerminal(openWorkplace().folder, "help import")
  const [, description = ""] = /^import animals[^\n]*\n\n(.*?)\n\nOptions:/ms.exec(help) ?? []
  const paragraphs = description.split("\n\n")
  expect(paragraphs.length).toBeGreaterThan(4)
  for (const paragraph of paragraphs) {
    const lines = paragraph.split("\n")
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    if (paragraph.startsWith(" ")) {
      // A table keeps its lines.
      for (const line of lines) expect(line).toMatch(/^ {2}--/)
      continue
    }
    for (const [index, line] of lines.entries()) {
      const [next] = lines[index + 1]?.split(" ") ?? []
      if (next !== undefined) expect(`${line} ${next}`.length).toBeGreaterThan(80)
    }
  }
})

it("a terminal shows the percentage of animals exported so far, and the steps of a backup and a restore", async () => {
  const place = openWorkplace()
  writeFileSync(place.path("pets.ndjson"), '{"name":"Bello","categoryId":1}\n')
  const said: Array<string> = []
  for (const command of ["import pets.ndjson", "export all.ndjson", "backup pets.db", "restore --replace pets.db"]) {
    said.push(await onTerminal(place.folder, command))
  }
  const [imported, exported, backedUp, restored] = said
  expect(imported).toContain("1 animal read, 1 kept")
  expect(exported).toMatch(/export {2}\[#+\] 100 % {2}1 animal/)
  expect(backedUp).toMatch(/backup {2}copying the store.*backup {2}verifying the copy/s)
  expect(restored).toMatch(/restore {2}verifying the copy.*restore {2}putting the copy into place/s)
})
