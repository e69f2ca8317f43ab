/** The response to a request that reaches no operation. */
import { describe, expect, it } from "vitest"
import { HttpError } from "../../../src/http/error-response.js"
import { requireRoute } from "../../../src/http/steps/require-route.js"
import { exchangeOf, through } from "../exchange-of.js"

const refusalOf = (given: Parameters<typeof exchangeOf>[0]) => {
  try {
    through(requireRoute, exchangeOf(given).exchange)
  } catch (thrown) {
    if (thrown instanceof HttpError) return { ...thrown.object, headers: thrown.headers }
  }
  throw new Error("the request was not refused")
}

describe("a request's route", () => {
  it("does not exist at an unknown path, which the message names without long or secret parts", () => {
    const at = (url: string) => refusalOf({ url, resource: { routes: new Map() } })
    expect(at("/v1/animals?x=1")).toMatchObject({ code: "route_not_found", message: "Nothing is served at /v1/animals." })
    expect(at(`/v1/${"x".repeat(500)}`).message).toHaveLength("Nothing is served at .".length + 101)
    expect(at("/v1/pets/").message).toBe("Nothing is served at /v1/pets/. No path ends in a slash.")
    expect(at("/v1/pst_live_abc").message).toBe("Nothing is served at /v1/pst_live_***.")
    expect(at(`/v1/${"x".repeat(85)}/pst_live_abc`).message).not.toContain("abc")
  })
})
