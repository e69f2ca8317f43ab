/** The base address: that of the page itself. Samples show it, requests go there and nowhere else. */
import { all } from "./elements.ts"

export const baseAddress = `${location.origin}/v1`

export const showBaseAddress = (): void => {
  for (const element of all("[data-base]")) element.textContent = baseAddress
}
