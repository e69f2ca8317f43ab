/** The store page while two clerks work at once: nothing moves under a finger, and nothing is said that is not so. */
import { describe, expect, it } from "vitest"
import { declareShop } from "./shop.ts"

const shop = declareShop()
const { counter, signIn, rowsOf, view, search, names, dialog, latest, made } = shop

const phone = { viewport: { width: 390, height: 844 } }

/** Holds back what refreshes read, until the returned function is called. */
const holdRefreshes = () => shop.hold(/\/v1\/(?:pets|store\/orders)\?/)

const button = (does: string, { id, name }: { readonly id: bigint; readonly name: string }) =>
  counter.page.getByRole("button", { name: `${does} ${name}, ${id}` })

/** Presses the mouse on a button, lets `meanwhile` happen, and releases the mouse in the same place. */
const pressAround = async (does: string, pet: { readonly id: bigint; readonly name: string }, meanwhile: () => Promise<void>) => {
  const target = button(does, pet)
  await expect.poll(() => target.isEnabled()).toBe(true)
  const box = await target.boundingBox()
  if (box === null) throw new Error("the button has no place")
  await counter.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await counter.page.mouse.down()
  await meanwhile()
  await counter.page.mouse.up()
}

describe("rows under a finger", () => {
  it("keeps every row in its place when another clerk adds animals, and shows these on request", async () => {
    const pet = await made("Stays")
    await signIn()
    const before = await rowsOf().first().boundingBox()
    const [one, two] = [await made("Newer"), await made("Newest")]
    const arrivals = counter.page.getByRole("button", { name: "2 new animals: show" })
    await arrivals.waitFor()
    expect(await rowsOf().first().boundingBox()).toEqual(before)
    expect((await names())[0]).toBe("Stays")
    await button("Reserve", pet).click()
    await expect.poll(latest).toContain("Reserved Stays")
    await arrivals.click()
    await expect.poll(async () => (await names()).slice(0, 3)).toEqual(["Newest", "Newer", "Stays"])
    for (const { id } of [one, two]) expect((await shop.client.getPet(id)).value.status).toBe("available")
  })

  it.each([phone, { viewport: { width: 1440, height: 900 } }])(
    "does nothing if a colleague reserves between pressing and releasing Reserve, at $viewport.width px",
    async (options) => {
      const pet = await made("Contested")
      await counter.reopen(options)
      await signIn()
      await search(`#${pet.id}`)
      await expect.poll(names).toEqual(["Contested"])
      const colleague = await shop.colleague()
      const release = await holdRefreshes()
      await colleague.getByRole("button", { name: `Reserve Contested, ${pet.id}` }).click()
      await colleague.getByText("Reserved Contested.").waitFor()
      await pressAround("Reserve", pet, async () => {
        await release()
        await button("Cancel", pet).waitFor()
      })
      await counter.page.waitForTimeout(700)
      expect(await counter.page.locator("dialog[open]").count()).toBe(0)
      expect((await shop.client.getPet(pet.id)).value.status).toBe("pending")
      await expect.poll(() => rowsOf().first().locator(".reserver").innerText()).toContain("Berta")
      await colleague.close()
    },
  )

  it.each([phone, { viewport: { width: 1440, height: 900 } }])(
    "reserves the animal under the finger while a colleague adds another one, at $viewport.width px",
    async (options) => {
      const pet = await made("Meant")
      const other = `Not meant at ${options.viewport.width}`
      await counter.reopen(options)
      await signIn()
      const colleague = await shop.colleague()
      const release = await holdRefreshes()
      await colleague.getByRole("button", { name: "Add an animal" }).click()
      const form = colleague.getByRole("dialog")
      await form.getByLabel("Name").fill(other)
      await form.getByRole("combobox", { name: "Category" }).selectOption("By its number")
      await form.getByLabel("Category number").fill("1")
      await form.getByRole("button", { name: "Add", exact: true }).click()
      await colleague.getByRole("link", { name: other }).waitFor()
      await pressAround("Reserve", pet, async () => {
        await release()
        await counter.page.getByRole("button", { name: "1 new animal: show" }).waitFor()
      })
      await expect.poll(latest).toContain("Reserved Meant")
      for await (const { name, status } of shop.client.listAllPets()) if (name === other) expect(status).toBe("available")
      await colleague.close()
    },
  )

  it("ignores a press within half a second after a row changed", async () => {
    const pet = await made("Sudden")
    await signIn()
    await search(`#${pet.id}`)
    await expect.poll(() => button("Edit", pet).isEnabled()).toBe(true)
    // Watches before the colleague reserves, because the page may show the reservation at once.
    const watch = await counter.page.evaluateHandle<{
      readonly pressed: Promise<boolean>
    }>(`({ pressed: new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const cancel = document.querySelector('[data-action="cancel"]')
        if (cancel === null) return
        observer.disconnect()
        const press = () => {
          cancel.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }))
          cancel.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }))
        }
        press()
        // Soon, because on a busy machine the row may have changed some time before this.
        setTimeout(() => {
          press()
          resolve(document.querySelector("dialog[open]") === null)
        }, 100)
      }).observe(document.body, { childList: true, subtree: true })
    }) })`)
    await shop.client.orders.create({ petId: pet.id })
    expect(await watch.evaluate(({ pressed }) => pressed)).toBe(true)
    const cancel = counter.page.locator('[data-action="cancel"]')
    await expect.poll(() => cancel.isEnabled()).toBe(true)
    await cancel.click()
    await dialog().waitFor()
  })

  it.each([phone, { viewport: { width: 1440, height: 900 } }])(
    "never puts what takes back where something gave, at $viewport.width px",
    async (options) => {
      const [free, held] = [await made("Free"), await made("Held")]
      await shop.client.orders.create({ petId: held.id })
      await counter.reopen(options)
      await signIn()
      const column = async (action: string, { id }: { readonly id: bigint }) => {
        const box = await counter.page.locator(`[data-line="${id}"] [data-action="${action}"]`).boundingBox()
        return box === null ? [] : [Math.round(box.x), Math.round(box.x + box.width)]
      }
      const gives = [...(await column("sell", free)), ...(await column("reserve", free)), ...(await column("complete", held))]
      const [cancel = 0] = await column("cancel", held)
      const [remove = 0] = await column("remove", free)
      expect(Math.min(cancel, remove)).toBeGreaterThan(Math.max(...gives))
    },
  )

  it.each([phone, { viewport: { width: 1440, height: 900 } }])(
    "keeps its height when it is reserved with a note, at $viewport.width px",
    async (options) => {
      const pet = await made("Level")
      await counter.reopen(options)
      await signIn()
      const heightOf = async () => (await counter.page.locator(`[data-line="${pet.id}"]`).boundingBox())?.height
      const before = await heightOf()
      await shop.client.orders.create({ petId: pet.id, note: "until Saturday, blue lead, for the lady with the hat" })
      await counter.page.locator(`[data-line="${pet.id}"] [data-note]`).waitFor()
      expect(await heightOf()).toBe(before)
    },
  )

  it.each([phone, { viewport: { width: 1440, height: 900 } }])(
    "does not move the list by the offer to refresh it, at $viewport.width px",
    async (options) => {
      const pet = await made("Leaver")
      await counter.reopen(options)
      await signIn()
      await view("For sale")
      await search(`#${pet.id}`)
      await expect.poll(names).toEqual(["Leaver"])
      const before = await rowsOf().first().boundingBox()
      await shop.client.orders.create({ petId: pet.id })
      await counter.page.getByRole("button", { name: "1 left this list: refresh" }).waitFor()
      expect(await rowsOf().first().boundingBox()).toEqual(before)
    },
  )

  it("does not move the list by a notice of an outage", async () => {
    await made("Firm")
    await signIn()
    const before = await rowsOf().first().boundingBox()
    await counter.page.context().setOffline(true)
    await counter.page.locator("[data-trouble]:not([hidden])").waitFor()
    expect(await rowsOf().first().boundingBox()).toEqual(before)
    await counter.page.context().setOffline(false)
    await counter.page.locator("[data-trouble]").waitFor({ state: "hidden" })
  })
})

describe("a slow line", () => {
  it("keeps the buttons of an animal waiting while an action runs, whatever refreshes bring", async () => {
    const pet = await made("Patient")
    await signIn()
    const release = await shop.hold("**/v1/store/orders")
    /** A repeated request has the key of the first one. */
    const keys = new Set<string | undefined>()
    counter.page.on("request", (request) => {
      if (request.method() === "POST") keys.add(request.headers()["idempotency-key"])
    })
    await button("Reserve", pet).click()
    await made("Meanwhile")
    await counter.page.locator("[data-arrivals]").waitFor()
    expect(await button("Reserve", pet).isEnabled()).toBe(false)
    await button("Reserve", pet).dispatchEvent("click")
    await release()
    await expect.poll(latest).toContain("Reserved Patient")
    expect(keys.size).toBe(1)
  })

  it("says once, and not in the colour of success, that an outcome is unknown, and asks before signing out", async () => {
    const pet = await made("Unsure")
    await signIn()
    await counter.page.route("**/v1/store/orders", (route) => route.abort())
    await button("Reserve", pet).click()
    await expect.poll(latest).toContain("It is not known yet whether Unsure is reserved.")
    expect(await counter.page.locator("[data-latest]").getAttribute("class")).toBe("latest waiting")
    await counter.page.evaluate(`window.said = 0
      new MutationObserver(() => { window.said += 1 }).observe(document.querySelector(".notices"), { childList: true, subtree: true })`)
    await counter.page.waitForRequest("**/v1/store/orders")
    await counter.page.waitForRequest("**/v1/store/orders")
    expect(await counter.page.evaluate("window.said")).toBe(0)
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    expect(await dialog().innerText()).toContain("It is not known yet whether Unsure is reserved.")
    await dialog().getByRole("button", { name: "Go back" }).click()
    await counter.page.unrouteAll({ behavior: "wait" })
    await expect.poll(latest).toContain("Reserved Unsure")
    await counter.page.getByRole("button", { name: "Sign out" }).click()
    await counter.page.locator("[data-sign-in]").waitFor()
  })
})

describe("finding", () => {
  it("takes #12 for the animal 12 and nothing else, and 12 for both", async () => {
    const pet = await made("Numbered")
    await made(`${pet.id} legs`)
    await signIn()
    await search(String(pet.id))
    await expect.poll(names).toEqual(["Numbered", `${pet.id} legs`])
    await search(`#${pet.id}`)
    await expect.poll(names).toEqual(["Numbered"])
    await search("#9007199254740993")
    await expect.poll(() => counter.page.locator("[data-empty]").innerText()).toBe("No animal has the number 9007199254740993.")
    await shop.client.removePet(pet.id)
    await search(`#${pet.id}`)
    await expect.poll(() => counter.page.locator("[data-empty]").innerText()).toBe(`Animal ${pet.id} was removed. Look at it`)
    await counter.page.getByRole("link", { name: "Look at it" }).click()
    await expect.poll(() => counter.page.locator("#pet-title").innerText()).toBe(`Numbered, animal ${pet.id}`)
  })

  it("shows one category, and animals without a status", async () => {
    await shop.client.categories.replace(31n, { name: "Otters" })
    await shop.client.createPet({ name: "Otto", categoryId: 31n, status: "available" })
    await shop.client.createPet({ name: "Ottla", categoryId: 31n })
    await shop.client.createPet({ name: "Otti", categoryId: 32n })
    await signIn()
    const category = counter.page.getByRole("combobox", { name: "Category" })
    await category.selectOption("Otters")
    await expect.poll(names).toEqual(["Ottla", "Otto"])
    await view("No status")
    await expect.poll(names).toEqual(["Ottla"])
    await category.selectOption("Every category")
    await expect.poll(names).toContain("Otti")
    await shop.client.categories.remove(31n)
  })
})

describe("the address", () => {
  it("holds view, search and page, follows Back and Forward, and opens the same in another tab", async () => {
    for (let index = 0; index < 25; index += 1)
      await shop.client.createPet({ name: `Wren ${index}`, categoryId: 5n, status: "sold" })
    await signIn()
    await view("Sold")
    await search("wren")
    await counter.page.waitForURL(/find=wren/)
    await expect.poll(names).toHaveLength(20)
    await counter.page.getByRole("button", { name: "Next" }).click()
    await expect.poll(names).toHaveLength(5)
    const here = await names()
    const address = counter.page.url()
    await counter.page.goBack()
    await expect.poll(() => counter.page.locator("[data-page]").innerText()).toBe("Page 1")
    await expect.poll(names).toHaveLength(20)
    await counter.page.goBack()
    await expect.poll(() => counter.page.getByRole("searchbox").inputValue()).toBe("")
    await counter.page.goForward()
    await counter.page.goForward()
    await expect.poll(names).toEqual(here)
    await counter.page.reload()
    await expect.poll(names).toEqual(here)
    await counter.reopen({}, address)
    await signIn()
    await expect.poll(names).toEqual(here)
    expect(await counter.page.locator("[data-page]").innerText()).toBe("Page 2")
  })

  it("opens one animal by its link, with what can be done to it", async () => {
    const pet = await made("Linked")
    await signIn()
    await counter.page.getByRole("link", { name: "Linked" }).click()
    await counter.page.locator("dialog[open]").waitFor()
    const address = counter.page.url()
    expect(address).toContain(`pet=${pet.id}`)
    await counter.page.goBack()
    await counter.page.locator("dialog[open]").waitFor({ state: "detached" })
    await counter.reopen({}, address)
    await signIn()
    const open = counter.page.locator("dialog[open]")
    await open.getByRole("button", { name: `Reserve Linked, ${pet.id}` }).click()
    await expect.poll(async () => (await shop.client.getPet(pet.id)).value.status).toBe("pending")
  })

  it("says that a link leads to no animal, and takes it out of the address", async () => {
    await counter.reopen({}, `${shop.origin}/store?view=sold&pet=9999`)
    await signIn()
    await expect.poll(latest).toBe("There is no animal 9999.")
    expect(new URL(counter.page.url()).search).toBe("?view=sold")
    expect(await counter.page.locator("dialog[open]").count()).toBe(0)
  })
})

describe("looks", () => {
  it("keeps the height of a row when another has a long name, and breaks no button or status", async () => {
    await made("Short")
    await counter.reopen({ viewport: { width: 1440, height: 900 } })
    await signIn()
    await search("short")
    await expect.poll(names).toEqual(["Short"])
    const alone = (await rowsOf().first().boundingBox())?.height ?? 0
    await made("Twentyeightcharacterslongone short")
    await counter.page.locator("[data-arrivals]").click()
    await expect.poll(names).toHaveLength(2)
    // Shared borders are divided in fractions of a pixel.
    expect((await rowsOf().last().boundingBox())?.height).toBeCloseTo(alone, 0)
    const broken = await counter.page.evaluate(
      "[...document.querySelectorAll('[data-rows] :is(button, .status span)')].filter((e) => e.getClientRects().length > 1 || e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)",
    )
    expect(broken).toEqual([])
  })

  it("keeps a question readable whatever characters a name has", async () => {
    const pet = await made("Evil \u202e name")
    await signIn()
    await button("Sell", pet).click()
    const question = dialog().locator("[data-question]")
    expect(await question.locator("bdi").textContent()).toBe("Evil \u202e name")
    await dialog().getByRole("button", { name: "Go back" }).click()
  })

  it("keeps the focus on Next when it is used with the keyboard", async () => {
    for (let index = 0; index < 45; index += 1)
      await shop.client.createPet({ name: `Owl ${index}`, categoryId: 6n, status: "pending" })
    await signIn()
    await view("On hold")
    const next = counter.page.getByRole("button", { name: "Next" })
    for (const page of ["Page 2", "Page 3"]) {
      await expect.poll(() => next.isEnabled()).toBe(true)
      await next.press("Enter")
      await expect.poll(() => counter.page.locator("[data-page]").innerText()).toBe(page)
      expect(await counter.page.evaluate("document.activeElement.textContent")).toBe("Next")
    }
  })

  it("has no field with text so small that iOS zooms into it", async () => {
    await counter.reopen(phone)
    await signIn()
    await counter.page.getByRole("button", { name: "Add an animal" }).click()
    const sizes = await counter.page.evaluate(
      "[...document.querySelectorAll('input:not([type=checkbox], [type=radio]), select')].map((e) => parseFloat(getComputedStyle(e).fontSize)).filter((s) => s < 16)",
    )
    expect(sizes).toEqual([])
  })

  it("gives assistive technology rows that are named after their animals, also on a phone", async () => {
    const pet = await made("Heard")
    await counter.reopen(phone)
    await signIn()
    const session = await counter.page.context().newCDPSession(counter.page)
    const { nodes } = await session.send("Accessibility.getFullAXTree")
    const of = (id: string | undefined) => nodes.find(({ nodeId }) => nodeId === id)
    const reserve = nodes.find(({ name }) => name?.value === `Reserve Heard, ${pet.id}`)
    const above: Array<string> = []
    for (let node = of(reserve?.parentId); node !== undefined; node = of(node.parentId)) {
      if (node.role?.value === "row") above.push(`row ${node.childIds?.map((id) => of(id)?.role?.value).join(" ")}`)
      if (node.role?.value === "table") above.push("table")
    }
    expect(above[0]).toContain("rowheader")
    expect(above).toContain("table")
  })
})
