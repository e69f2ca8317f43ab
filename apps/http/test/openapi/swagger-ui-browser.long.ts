/** Every operation in Swagger UI: a person authorizes, opens it, clicks "Try it out" and "Execute", and changes nothing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { operations as described } from "@petstore/core/contract"
import { inMemory } from "@petstore/harness/command"
import { serve } from "@petstore/harness/testing"
import { declarePages } from "@petstore/test/chromium"
import { expect, it } from "vitest"
import { installed } from "./npm-packages.js"

const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="swagger-ui.css"><div id="ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script>ui = SwaggerUIBundle({ url: "/openapi.json", dom_id: "#ui", docExpansion: "list" })</script>`

const pages = declarePages(
  async () => {},
  () => "about:blank",
)

/** Completing and cancelling need an order each, and what is removed is no longer there: two persons on new stores. */
const orders = [
  [
    ...["createPet", "listPets", "getPet", "correctPet", "createOrder", "listOrders", "getOrder", "completeOrder"],
    ...["returnOrder", "changeOrder"],
    ...["me", "getInventory", "replaceCategory", "listCategories", "getCategory", "removeCategory", "removePet", "restorePet"],
    "listChanges",
  ],
  ["createPet", "createOrder", "cancelOrder"],
]

it("has every operation in one of the walks", () => {
  expect(new Set(orders.flat())).toEqual(new Set(Object.keys(described)))
})

it.each(orders.map((order) => [order]))("accepts the unedited requests %j", async (order) => {
  const { folder } = installed("swagger-ui-dist@5.35.0")
  const service = await serve(inMemory())
  const { page: browser } = pages
  await browser.route("**/swagger/*", (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? ""
    if (name === "") return route.fulfill({ contentType: "text/html", body: page })
    const contentType = name.endsWith(".css") ? "text/css" : "text/javascript"
    return route.fulfill({ contentType, body: readFileSync(join(folder, "node_modules/swagger-ui-dist", name), "utf8") })
  })
  await browser.goto(`${service.origin}/swagger/`)
  await browser.locator(".opblock").first().waitFor()
  await browser.evaluate(`ui.preauthorizeApiKey("apiKey", ${JSON.stringify(service.key)})`)
  const statuses: Array<readonly [string, string]> = []
  for (const operation of order) {
    const block = browser.locator(`[id$="-${operation}"].opblock`)
    await block.locator(".opblock-summary-control").click()
    await block.locator(".try-out__btn").click()
    await block.locator(".execute").click()
    const status = await block.locator(".live-responses-table .response-col_status").last().innerText()
    statuses.push([operation, status.slice(0, 3)])
    await block.locator(".opblock-summary-control").click()
  }
  expect(statuses.filter(([, status]) => !status.startsWith("2"))).toEqual([])
})
