/** A file of pets as a value: bytes in, rows out, without a terminal, a store or Node. */
import { describe, expect, it } from "vitest"
import { describedBy, type FileDescription } from "../../src/pet-files/description.js"
import { optionsOf } from "../../src/pet-files/options.js"
import { newPetRows, noWords, proposeWords, wordsOfRows } from "../../src/pet-files/pet-rows.js"
import { FileRefused } from "../../src/pet-files/refused.js"
import { rowReader } from "../../src/pet-files/rows.js"

const delivery = new TextEncoder().encode("Tier;Rufname;Status\nHund;Rex;vermittelt\nKatze;;\nHund;Tom;da\n")

const rowsOf = (description: FileDescription, names = new Map<string, bigint>()) => {
  const reader = rowReader("csv", description, newPetRows(description, names))
  return [...reader.take(delivery), ...reader.end()]
}

const columns = { columns: { name: "Rufname", categoryId: "Tier" } }

describe("a file of pets", () => {
  it("is refused with a description of all columns at once", () => {
    const refused = (() => {
      try {
        return rowsOf({ columns: { categoryId: "Tier" } })
      } catch (thrown) {
        return thrown
      }
    })()
    expect(refused).toBeInstanceOf(FileRefused)
    expect(refused).toMatchObject({ proposal: { columns: { name: "Rufname" } } })
  })

  it("shows its words, and proposes their meaning", () => {
    const words = noWords()
    const reader = rowReader("csv", columns, wordsOfRows(columns, ["name", "categoryId"], words))
    reader.take(delivery)
    reader.end()
    expect([[...words.categories], [...words.statuses], words.unnamed]).toEqual([
      [
        ["Hund", 2],
        ["Katze", 1],
      ],
      [
        ["vermittelt", 1],
        ["da", 1],
      ],
      1,
    ])
    const proposal = proposeWords(words, columns, new Map())
    expect(proposal).toEqual({ default: { name: "(no name)" }, statuses: { vermittelt: "sold", da: "" }, createCategories: true })
    expect(optionsOf(describedBy(columns, proposal))).toBe(
      "--columns name=Rufname,categoryId=Tier --default 'name=(no name)' --statuses vermittelt=sold,da= --create-categories",
    )
  })

  it("gives pets under its description, and the reason for each other row", () => {
    const description = describedBy(columns, { default: { name: "?" }, statuses: { vermittelt: "sold", da: "available" } })
    expect(rowsOf(description, new Map([["hund", 7n]]))).toMatchObject([
      { line: 2, value: { name: "Rex", categoryId: 7n, status: "sold" } },
      { line: 3, problem: expect.stringContaining("categoryId") },
      { line: 4, value: { name: "Tom", categoryId: 7n, status: "available" } },
    ])
  })
})
