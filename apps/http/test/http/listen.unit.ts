/** The address that a message shows for a server on this machine. */
import { expect, it } from "vitest"
import { hostInUrl } from "../../src/http/listen.js"

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["petstore.internal", "petstore.internal"],
  ["0.0.0.0", "127.0.0.1"],
  ["::", "127.0.0.1"],
  ["::1", "[::1]"],
])("hostInUrl shows a server that listens on %s as %s", (address, host) => {
  expect(hostInUrl(address)).toBe(host)
  expect(URL.canParse(`http://${hostInUrl(address)}:3000/v1`)).toBe(true)
})
