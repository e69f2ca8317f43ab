/** The samples of the docs page as a reader copies them from it. */
import { operations as described } from "@petstore/core/contract"

/** The operations of the contract. */
export const operations = Object.keys(described)

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" }

const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? "")

/** Reads the page of a service, and answers the sample of an operation in a language, with the address of that service. */
export const samplesIn = async (origin: string): Promise<(operation: string, language: string) => string> => {
  const page = await (await fetch(`${origin}/docs`)).text()
  const sections = page.split("<section ")
  return (operation, language) => {
    const section = sections.find((text) => text.startsWith(`class="operation" id="${operation}"`)) ?? ""
    const [, code] = new RegExp(`data-tab="${language}">.*?<code>(.*?)</code>`, "s").exec(section) ?? []
    if (code === undefined) throw new Error(`the page has no sample of ${operation} in ${language}`)
    return plain(code).replace("https://petstore.example/v1", `${origin}/v1`)
  }
}

/** What a new catalogue answers a sample, each after those before it: it has none of the identifiers, but for that of a category between PUT and DELETE. */
export const statusOf = (operation: string): number =>
  /^(?:list|getInventory)/.test(operation)
    ? 200
    : ({ createPet: 201, replaceCategory: 201, removeCategory: 204 }[operation] ?? 404)
