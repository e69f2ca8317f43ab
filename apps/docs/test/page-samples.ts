/** The samples on the docs page as readers copy them, and the responses that the page shows. */
import { operations as described } from "@petstore/core/contract"
import { parseExactJson } from "@petstore/core/exact-json"

export const operations = Object.keys(described)

const entities: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" }

const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? "")

export const samplesIn = async (origin: string) => {
  const page = await (await fetch(`${origin}/docs`)).text()
  const sections = page.split("<section ")
  const sectionOf = (operation: string) => sections.find((text) => text.startsWith(`class="operation" id="${operation}"`)) ?? ""
  return {
    /** The operations from the top of the page to its end. */
    order: [...page.matchAll(/<section class="operation" id="(\w+)"/g)].map(([, id = ""]) => id),
    /** The sample for an operation in a language, with the service's address. */
    sampleOf: (operation: string, language: string): string => {
      const [, code] = new RegExp(`data-tab="${language}">.*?<code>(.*?)</code>`, "s").exec(sectionOf(operation)) ?? []
      if (code === undefined) throw new Error(`the page has no ${language} sample for ${operation}`)
      return plain(code).replaceAll("https://petstore.example/v1", `${origin}/v1`)
    },
    /** The response next to the sample. `undefined` if the page shows no response. */
    responseOf: (operation: string): unknown => {
      const [, json] = /: example response"><code>(.*?)<\/code>/s.exec(sectionOf(operation)) ?? []
      return json === undefined ? undefined : parseExactJson(plain(json))
    },
  }
}

/** The program in a language on the page of a guide, with the service's address. */
export const programIn = async (origin: string, guide: string, language: string): Promise<string> => {
  const page = await (await fetch(`${origin}/docs/${guide}`)).text()
  const [, code] = new RegExp(`: ${language}"><code>(.*?)</code></pre>`, "s").exec(page) ?? []
  if (code === undefined) throw new Error(`the guide ${guide} has no program in ${language}`)
  return plain(code).replaceAll("https://petstore.example/v1", `${origin}/v1`)
}

/** The stable part of a response: its identifiers, and the types of its other members. For a list, uses the first item. */
export const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  // The client returns timestamps as dates.
  if (value instanceof Date) return "string"
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // Identifiers of accounts and keys are texts, and random.
      const isCounted = /^id$|Id$/.test(name) && typeof member !== "string"
      return [name, isCounted ? String(member) : shapeOf(member)]
    }),
  )
}
