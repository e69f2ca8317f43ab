/** Turns the contract's texts into HTML. They have `code` in backticks and blank lines between paragraphs. */
import { Html, html } from "./html.ts"

export const inline = (text: string): Html =>
  new Html(
    text
      .split("`")
      .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`).text)
      .join("")
      .replace(/\^(\d+)/g, "<sup>$1</sup>"),
  )

export const prose = (text: string): Html => html`${text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })

/** Formats a day as people write it: `5 December 2030`. */
export const day = (date: Date): string => days.format(date)
