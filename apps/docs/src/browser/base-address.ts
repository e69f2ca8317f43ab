/** The base address, on the page's own origin. The samples show this address, and the forms send requests only to it. */
import { all } from "./elements.ts"

export const baseAddress = `${location.origin}/v1`

export const showBaseAddress = (): void => {
  for (const element of all("[data-base]")) element.textContent = baseAddress
}
