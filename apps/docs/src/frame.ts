/** What the docs page and the pages of guides have in common: the head, the bar, the table of contents and the footer. */
import type { OpenApiDocument } from "@petstore/core/contract"
import { type Html, html } from "./html.ts"

/** A page, without its frame. */
interface Page {
  readonly title: string
  readonly description: string
  /** The path from the page to the folder that contains `docs` and `openapi.json`. */
  readonly root: "" | "../"
  /** The name of its script. */
  readonly script: "page" | "guide"
  readonly contents: Html
  readonly search: Html
  readonly main: Html
  readonly dialog?: Html
}

const paw = html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><g fill="currentColor"><ellipse cx="5.2" cy="11" rx="2.1" ry="2.8"/><ellipse cx="9.4" cy="6.2" rx="2.2" ry="3"/><ellipse cx="14.6" cy="6.2" rx="2.2" ry="3"/><ellipse cx="18.8" cy="11" rx="2.1" ry="2.8"/><path d="M12 11.2c-3 0-6 3.4-6 6.3 0 1.8 1.3 2.7 2.8 2.7 1.3 0 2-.7 3.2-.7s1.9.7 3.2.7c1.5 0 2.8-.9 2.8-2.7 0-2.900-3-6.300-6-6.300z"/></g></svg>`

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cg fill='%230b6e4f'%3E%3Cellipse cx='5.2' cy='11' rx='2.1' ry='2.8'/%3E%3Cellipse cx='9.4' cy='6.2' rx='2.2' ry='3'/%3E%3Cellipse cx='14.6' cy='6.2' rx='2.2' ry='3'/%3E%3Cellipse cx='18.8' cy='11' rx='2.1' ry='2.8'/%3E%3Cpath d='M12 11.2c-3 0-6 3.4-6 6.3 0 1.8 1.3 2.7 2.8 2.7 1.3 0 2-.7 3.2-.7s1.9.7 3.2.7c1.5 0 2.8-.9 2.8-2.7 0-2.900-3-6.300-6-6.300z'/%3E%3C/g%3E%3C/svg%3E"

export const magnifier = html`<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M10.5 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20 20"/></svg><span>Search</span>`

const header = ({ root, search }: Page): Html => html`
<header class="bar">
  <a class="brand" href="${root}docs#overview">${paw}<span>Pet Store Inventory</span></a>
  <div class="bar-tools">
    ${search}
    <button class="icon" type="button" data-theme-toggle aria-label="Dark theme" aria-pressed="false"><svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path fill="currentColor" d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z"/></svg></button>
    <button class="icon menu" type="button" data-menu aria-expanded="false" aria-controls="contents" aria-label="Contents"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"><path stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M4 7h16M4 12h16M4 17h16"/></svg></button>
  </div>
</header>`

/** Removes the indentation of the templates, which only makes the page larger. Code and fields keep every character. */
const withoutIndentation = (page: string): string =>
  page
    .split(/(<pre.*?<\/pre>|<textarea.*?<\/textarea>)/s)
    .map((piece, index) => (index % 2 === 0 ? piece.replace(/\n\s+/g, "\n") : piece))
    .join("")

export const framed = ({ info }: OpenApiDocument, page: Page): string => {
  const { title, description, root, script, contents, main, dialog } = page
  const whole = html`<!doctype html>
<html lang="en" class="no-script" data-deployment="{{deployment}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${root}docs/page.css">
<script src="${root}docs/theme.js"></script>
<script src="${root}docs/${script}.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(page)}
${contents}
<main id="main" tabindex="-1">
${main}
<footer><p>Generated from <a href="${root}openapi.json">openapi.json</a>, version ${info.version}. Served by the service itself: nothing on this page is loaded from anywhere else.</p></footer>
</main>
${dialog}
</body>
</html>
`
  return withoutIndentation(whole.text)
}
