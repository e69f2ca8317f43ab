/** The base address: that of the page itself. Samples show it, and requests go only there. */
import { all } from "./elements.ts"

export const baseAddress = `${location.origin}/v1`

export const showBaseAddress = (): void => {
  for (const element of all("[data-base]")) element.textContent = baseAddress
}
