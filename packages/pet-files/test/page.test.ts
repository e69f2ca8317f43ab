/** The entry for a page: what it gives, and that a page can afford it. */
import { rolldown } from "rolldown"
import { describe, expect, it } from "vitest"
import { optionsOf } from "../src/options.js"
import { categoryNamesOf, describedBy, FileRefused, readDelivery } from "../src/page.js"

const bytes = (text: string) => new TextEncoder().encode(text)

const categories = categoryNamesOf([
  { id: 7n, name: "Dog" },
  { id: 9n, name: "Cat" },
])

describe("a delivery on a page", () => {
  it("gives pets from rows pasted from a sheet, and the reason against each other row", () => {
    const { rows, words, proposal } = readDelivery(
      bytes("name\tcategory_id\tstatus\nRex\tdog\tsold\nTom\t9\t\n\tCat\tsold\nZoë\tFish\tready\n"),
      {},
      categories,
    )
    expect(rows).toMatchObject([
      { line: 2, value: { name: "Rex", categoryId: 7n, status: "sold" } },
      { line: 3, value: { name: "Tom", categoryId: 9n } },
      { line: 4, problem: expect.stringContaining("name: expected a string of 1 to 1024 code points") },
      { line: 5, problem: expect.stringContaining("status: expected one of available, pending, sold") },
    ])
    expect(words.unnamed).toBe(1)
    expect(proposal).toEqual({ default: { name: "(no name)" }, statuses: { ready: "available" }, createCategories: true })
  })

  it("guesses columns, and says what it guessed", () => {
    const { description, rows } = readDelivery(bytes("Animal Name,Species\nRex,Dog\n"), {}, categories)
    expect(description.columns).toEqual({ name: "Animal Name", categoryId: "Species" })
    expect(rows).toMatchObject([{ line: 2, value: { name: "Rex", categoryId: 7n } }])
  })

  it("takes the first row for an animal if it has a word for a status above others", () => {
    const { description, rows } = readDelivery(bytes("Mr. W\tCat\tfor sale\nRex\tDog\treserved\nTom\tCat\t\n"), {}, categories)
    expect(description).toMatchObject({ header: false, columns: { name: "1", categoryId: "2", status: "3" } })
    expect(rows).toHaveLength(3)
    expect(readDelivery(bytes("name\tcategory_id\tadopted\nRex\tDog\tyes\n"), {}, categories).rows).toHaveLength(1)
  })

  it("takes a reservation for any customer as on hold", () => {
    const { proposal } = readDelivery(
      bytes("Name\tKind\tStatus\nRex\tDog\treserved for Ms Lee\nTom\tDog\treserviert\n"),
      {},
      categories,
    )
    expect(proposal.statuses).toEqual({ "reserved for Ms Lee": "pending", reserviert: "pending" })
  })

  it("is read again under a description with a meaning for each word, which the command takes too", () => {
    const file = bytes("Tierart;Rufname;Status\nHund;Rex;vermittelt\nKatze;;\nHund;Tom;da\n")
    const first = readDelivery(file, {}, categories)
    const description = describedBy(first.description, first.proposal)
    expect(optionsOf(description)).toBe(
      "--columns name=Rufname,categoryId=Tierart --default 'name=(no name)' --statuses vermittelt=sold,da= --create-categories",
    )
    const chosen = describedBy(description, { statuses: { da: "available" } })
    const { rows } = readDelivery(file, chosen, categoryNamesOf([{ id: 1n, name: "Hund" }]))
    expect(rows).toMatchObject([
      { line: 2, value: { name: "Rex", categoryId: 1n, status: "sold" } },
      { line: 3, problem: expect.stringContaining("categoryId: expected an integer, or the name of a category") },
      { line: 4, value: { name: "Tom", categoryId: 1n, status: "available" } },
    ])
  })

  it("leaves a choice to a person, with the names of all columns", () => {
    const refused = (() => {
      try {
        return readDelivery(bytes("Wer,Was\nRex,Hund\n"), {}, categories)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(refused).toBeInstanceOf(FileRefused)
    expect(refused).toMatchObject({ columns: ["Wer", "Was"], proposal: { columns: { categoryId: "HEADER" } } })
  })

  it("needs neither Effect nor Node, and 17.5 kB", async () => {
    const bundle = await rolldown({ input: "packages/pet-files/dist/page.js", logLevel: "silent" })
    const { output } = await bundle.generate({ format: "esm", minify: true })
    const [{ code, moduleIds, imports }] = output
    expect(imports).toEqual([])
    expect(moduleIds.filter((id) => !/\/packages\/(?:core|pet-files)\/dist\//.test(id))).toEqual([])
    expect(code.length).toBeLessThan(17_500)
  })
})
