/** What `petstore import` proposes and shows before it stores anything, and what it does with a column that names each row. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { openWorkplace } from "@petstore/harness/testing"
import { describe, expect, it } from "vitest"
import { importing, kept } from "./importing.js"

describe("the proposal for a CSV file", () => {
  it("sells no animal that was transferred, given back or put down", async () => {
    const words = [
      "Transfer",
      "Transferred Out",
      "Return to Owner",
      "Rto-Adopt",
      "Euthanasia",
      "Died",
      "Missing",
      "Archived",
      "No",
    ]
    const { stdout } = await importing(
      "pets.csv",
      `name,categoryId,status\n${words.map((word) => `A,1,${word}\n`).join("")}`,
      "--dry-run",
    )
    expect(stdout).toContain(`--statuses '${words.map((word) => `${word}=`).join(",")}'`)
  })

  it.each([
    ["kinds and a flag", "ID,Name,Species,Breed,Adopted\n1,Rex,Dog,Beagle,False\n", "--columns categoryId=Species"],
    ["no names", "Date,Days,Animal,Age\r\n2024-01-03,25,Dog,3\r\n", "--default 'name=(no name)'"],
    ["breeds only", 'Name,Age,Breed,Notes\nRex,1,Beagle,"kind, calm"\n', "--columns categoryId=Breed"],
    ["prefixed names", "dog_name;hair;class_type\r\nRex;1;Mammal\r\n", "--columns name=dog_name,categoryId=class_type"],
    ["Polish headers", '\uFEFF"id_klienta","imie","gatunek"\r\n"20","Rex","kangur"\r\n', "name=imie,categoryId=gatunek"],
    ["a padded shop export", 'Title   ,Body    ,Type  ,Status\n"Rex"   ,"<p>"   ,"Dog" ,active\n', "--statuses active=available"],
    ["no header", "Rex;Beagle;images/1.jpg;1\nTom;Siam;images/2.jpg;9\n", "--no-header --columns name=1,categoryId=2"],
    [
      "no header and a number with dashes",
      "Bru,Pug,854-40-2482\nMia,Pug,854-40-2483\n",
      "--no-header --columns name=1,categoryId=2",
    ],
    ["kinds before names", "1;Cat;Tom\n2;Dog;Rex\n3;Cat;Mia\n", "--no-header --columns name=3,categoryId=2"],
    ["rows of a sheet", "Rex\tDog\tsold\nMia\tCat\tavailable\n", "--no-header --columns name=1,categoryId=2,status=3"],
    ["Portuguese headers", "idPet,nome,especie,raca\n1,Rex,Cachorro,Golden\n2,Mia,Gato,SRD\n", "name=nome,categoryId=especie"],
    ["statuses of outcomes", "ID,Name,Outcome Status,Type\n7,Rex,Adopted,Dog\n8,,Died,Cat\n", "status=Outcome Status'"],
    ["gaps", "tag,name,type\n*R,Rex,dairy\n*O,,dairy\n", "--default 'name=(no name)'"],
    ["a status", "animal_id,animal_kind,animal_title,animal_status\n1,Dog,,OPEN\n", "--statuses OPEN=available"],
  ])("with --dry-run proposes a command that reads a file with %s", async (_, content, options) => {
    const { stdout, stderr } = await importing("pets.csv", content, "--dry-run")
    const proposal = /Try: petstore import pets.csv (.*)/.exec(stdout + stderr)?.[1] ?? ""
    expect(proposal).toContain(options)
    // Options as a shell reads them.
    const given = (proposal.match(/(?:[^\s']|'[^']*')+/g) ?? []).map((option) => option.replaceAll("'", ""))
    expect(await importing("pets.csv", content, ...given)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(" 0 rejected."),
    })
  })
})

describe("petstore import --key --ids", () => {
  const keyed = ["import", "pets.csv", "--key", "Chip", "--ids", "ids.csv"]

  it("with --dry-run shows what is new and what changed, and changes nothing", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "Chip,name,categoryId\nA,Rex,1\nB,Mia,1\nC,Tom,1\n")
    const first = await place.run([...keyed, "--dry-run"])
    expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('new pet: "Rex", category 1') })
    expect(first.stdout).toContain("3 new, 0 changed, 0 unchanged")
    expect([existsSync(place.path("store.db")), existsSync(place.path("ids.csv"))]).toEqual([false, false])
    await place.run(keyed)
    const before = [kept(place), readFileSync(place.path("ids.csv"), "utf8")]
    writeFileSync(place.path("pets.csv"), "Chip,name,categoryId,status\nA,Rex,1,\nB,Mia,1,sold\nD,Zoë,2,\n")
    const { stdout } = await place.run([...keyed, "--dry-run"])
    expect(stdout).toContain('new pet: "Zoë", category 2, without a status\n')
    expect(stdout).toContain('pet 2: "Mia", category 1, without a status → "Mia", category 1, sold\n')
    expect(stdout).toContain("1 new, 1 changed, 1 unchanged")
    expect([kept(place), readFileSync(place.path("ids.csv"), "utf8")]).toEqual(before)
  })

  it.each([
    ["id,name,categoryId\n7,Rex,1\n", "--key id"],
    ["Animal ID,name,categoryId\n7,Rex,1\n8,Mia,1\n", "--key 'Animal ID'"],
    ["Animal No.,Animal Name,Species\nA7,Rex,Dog\n", "--key 'Animal No.'"],
    ["Ref,Chip,name,categoryId\n7,1,Rex,1\n7,2,Mia,1\n", "--key Chip"],
  ])("is proposed with a column that names each row of %j", async (csv, option) => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), csv)
    const { stdout } = await place.run(["import", "pets.csv", "--dry-run"])
    expect(stdout).toContain(`Try: petstore import pets.csv ${option} --ids pets.ids.csv`)
  })

  it.each([
    "Ref,name,categoryId\n7,Rex,1\n7,Mia,1\n",
    "Ref,name,categoryId\n7,Rex,1\n,Mia,1\n",
    "Zip Code,name,categoryId\n7,Rex,1\n",
  ])("is not proposed for %j", async (csv) => {
    const { stdout } = await importing("pets.csv", csv, "--dry-run")
    expect(stdout).toContain(" 0 rejected.")
    expect(stdout).not.toMatch(/--key|Try/)
  })

  it("says how many rows are new, changed and unchanged, as its dry run does", async () => {
    const place = openWorkplace()
    const both = async (csv: string, ...options: ReadonlyArray<string>) => {
      writeFileSync(place.path("pets.csv"), csv)
      const checked = await place.run([...keyed, "--dry-run", ...options])
      return [checked.stdout, (await place.run([...keyed, ...options])).stdout]
    }
    const first = await both("Chip,name,categoryId\nA,Rex,1\nB,Mia,1\nA,Max,1\n")
    expect(first[0]).toContain("3 animals read, 3 would be kept (2 new, 1 changed, 0 unchanged), 0 rejected.\n")
    expect(first[1]).toBe("3 animals read, 3 kept (2 new, 1 changed, 0 unchanged), 0 rejected.\n")
    const second = await both("Chip,name,categoryId\nA,Max,1\nB,Mia,2\nC,Tom,1\nD,Tim,\n", "--json")
    const keyedCounts = { new: 1, changed: 1, unchanged: 1 }
    expect(second.map((text) => JSON.parse(text))).toMatchObject([{ keyed: keyedCounts }, { keyed: keyedCounts }])
  })

  it("refuses to begin a file of identifiers beside animals, unless there is an empty one", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "Chip,name,categoryId\nA,Rex,1\n")
    await place.run(["import", "pets.csv"])
    for (const command of [keyed, [...keyed, "--dry-run"]]) {
      const refused = await place.run(command)
      expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the store already has 1 animal:") })
    }
    expect([kept(place).length, existsSync(place.path("ids.csv"))]).toEqual([1, false])
    writeFileSync(place.path("ids.csv"), "")
    expect(await place.run(keyed)).toMatchObject({ exitCode: 0 })
    expect(kept(place)).toHaveLength(2)
  })

  it("refuses a column that the file does not have, with and without --dry-run, and creates no store", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "Chp,name,categoryId\nA,Rex,1\n")
    for (const options of [keyed, [...keyed, "--dry-run"]]) {
      const { exitCode, stderr } = await place.run(options)
      expect(stderr).toContain('has no column "Chip" for --key; it has "Chp", "name", "categoryId". Nothing was kept.')
      expect(exitCode).toBe(1)
    }
    expect(existsSync(place.path("store.db"))).toBe(false)
  })
})

describe("petstore import --dry-run", () => {
  it("reports how many rows it would keep, exits with the import's code, and creates no store", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\nBello,\n")
    const checked = await place.run(["import", "pets.csv", "--dry-run", "--json"])
    const rejection = { line: 3, reason: expect.stringContaining("categoryId: ") }
    expect(checked.exitCode).toBe(1)
    expect(JSON.parse(checked.stdout)).toMatchObject({
      dryRun: true,
      read: 2,
      wouldBeKept: 1,
      rejected: 1,
      rejections: [rejection],
    })
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\n")
    expect(await place.run(["import", "pets.csv", "--dry-run"])).toMatchObject({
      exitCode: 0,
      stdout:
        'Dry run: nothing was stored.\ncolumns: name from "name", categoryId from "categoryId"\npet: "Bello", category 1, without a status\n1 animal read, 1 would be kept, 0 rejected.\n',
    })
    expect(existsSync(place.path("store.db"))).toBe(false)
  })

  it("shows a file that needs options as they would make it, and how many more animals there are", async () => {
    const csv = `Name,Species,Status\n${"Rex,Dog,Adopted\n".repeat(5)},Cat,\n`
    const { exitCode, stdout, stderr } = await importing("pets.csv", csv, "--dry-run")
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual([
      "Dry run: nothing was stored. This file needs options. With those of the last line it is read as follows.",
      'Without them: The header on line 1 cannot be used: it does not name the column categoryId; it names "Name", "Species", "Status".',
      'columns: name from "Name", categoryId from "Species", status from "Status"',
      'pet: "Rex", category "Dog", which is new, sold',
      'pet: "Rex", category "Dog", which is new, sold',
      'pet: "Rex", category "Dog", which is new, sold',
      "and 3 more",
      "rows without a name: 1",
      'words for a status: "Adopted" → sold (5)',
      'new categories: "Dog" (5), "Cat" (1)',
      "6 animals read, 6 would be kept, 0 rejected.",
      "Try: petstore import pets.csv --columns categoryId=Species --default 'name=(no name)' --statuses Adopted=sold --create-categories",
      "",
    ])
  })

  it("proposes no command that would keep nothing", async () => {
    const { exitCode, stdout } = await importing("pets.json", '[{"animal_id":"A1","name":"Rex","species":"Dog"}]', "--dry-run")
    expect([exitCode, stdout]).toEqual([1, "Dry run: nothing was stored.\n1 animal read, 0 would be kept, 1 rejected.\n"])
  })

  it("takes the state of an address for no status", async () => {
    const { stdout } = await importing("pets.csv", "Name,Species,State\nRex,Dog,WA\n", "--dry-run")
    expect(stdout).toContain("--columns categoryId=Species --create-categories")
  })

  it("finds a status and a name under longer headers", async () => {
    const rows = ["Rex,Dog,Adopted", "Tom,Cat,In Foster", "Kit,Cat,Available", "Bo,Dog,Lost"]
    const { stdout } = await importing("pets.csv", `Name of Animal,Type,Current State\n${rows.join("\n")}\n`, "--dry-run")
    expect(stdout).toContain("'name=Name of Animal,categoryId=Type,status=Current State'")
  })

  it("fails if a person has to choose a column", async () => {
    const { exitCode, stderr } = await importing("pets.csv", "name,A\nRex,Dog\n", "--dry-run")
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      "Replace HEADER by the column that has the category, such as Dog.\nTry: petstore import pets.csv --columns categoryId=HEADER\n",
    )
  })

  it("with --all-or-nothing reports that it would keep nothing if one row is invalid", async () => {
    const place = openWorkplace()
    writeFileSync(place.path("pets.csv"), "name,categoryId\nBello,1\nBello,\n")
    const { stdout } = await place.run(["import", "pets.csv", "--dry-run", "--all-or-nothing"])
    expect(stdout).toContain("2 animals read, 0 would be kept, 1 rejected.\n")
  })
})
