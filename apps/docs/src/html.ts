/** HTML templates. Every value is escaped, unless it is already HTML. */

/** A piece of HTML that is safe to put into a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template. `undefined` and `false` render as nothing. */
export type Part = string | number | Html | undefined | false | ReadonlyArray<Part>

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** Escapes text between tags, where quotes have no special meaning. */
export const escapeText = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? "")

const render = (part: Part): string => {
  if (part === undefined || part === false) return ""
  if (part instanceof Html) return part.text
  if (typeof part === "string") return escapeHtml(part)
  return typeof part === "number" ? String(part) : part.map(render).join("")
}

/** @example html`<p title="${title}">${paragraphs.map((text) => html`<b>${text}</b>`)}</p>` */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(strings.map((string, index) => string + render(parts[index])).join(""))
