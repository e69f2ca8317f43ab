/** The size of the store page, as the service sends it to a browser. */
import { environmentIn } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"

it("sends all files of the page in less than 60 kB", async () => {
  const { baseUrl } = await serve(environmentIn(temporaryFolder()))
  const sizes = await Promise.all(
    ["/store", "/store/page.css", "/store/page.js", "/store/theme.js"].map(async (path) => {
      const response = await fetch(new URL(path, baseUrl), { headers: { "Accept-Encoding": "gzip, deflate, br, zstd" } })
      expect(response.headers.get("content-encoding"), path).toBe("gzip")
      return Number(response.headers.get("content-length"))
    }),
  )
  expect(Math.min(...sizes)).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
})
