/** The base address, which is on the page's own origin. The samples show it, and requests are only sent there. */
import { all } from "./elements.ts"

export const baseAddress = `${location.origin}/v1`

export const showBaseAddress = (): void => {
  for (const element of all("[data-base]")) element.textContent = baseAddress
}
