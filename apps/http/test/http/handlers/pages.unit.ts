/** How the running service fills the page's placeholders. */
import { describe, expect, it } from "vitest"
import { filledPage } from "../../../src/http/handlers/pages.js"

const page =
  '<html data-deployment="{{deployment}}"><code>{{base}}</code><!--server--><p>{{description}}: {{url}}</p><!--/server-->'

describe("the docs page", () => {
  it("names the deployment and every absolute address, and uses the first address as the base", () => {
    const servers = [
      { url: "https://pets.example/v1", description: "Production" },
      { url: "https://staging.example/v1?a&b", description: "Staging" },
    ]
    expect(filledPage(page, { deployment: "production", servers })).toBe(
      '<html data-deployment="production"><code>https://pets.example/v1</code>' +
        "<p>Production: https://pets.example/v1</p><p>Staging: https://staging.example/v1?a&amp;b</p>",
    )
  })

  it("shows an example address if no address is known", () => {
    expect(filledPage(page, { deployment: "development", servers: [{ url: "/v1", description: "Development" }] })).toBe(
      '<html data-deployment="development"><code>https://petstore.example/v1</code>',
    )
  })
})
