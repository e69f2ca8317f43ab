/** The pages of guides beside the docs page, `/docs/<id>`: each explains a task from beginning to end. */
import type { OpenApiDocument } from "@petstore/core/contract"
import { placeholderBase } from "./code-block.ts"
import { framed, magnifier } from "./frame.ts"
import { agents } from "./guides/agents.ts"
import { following } from "./guides/following.ts"
import { webhooks } from "./guides/webhooks.ts"
import { Html, html } from "./html.ts"

/** The guides, in the order of the table of contents. `lead` is what the docs page says of a guide. */
export const guides = [following, webhooks, agents]

/** The distinct words of a guide's sentences, for the search of the docs page. Short words say little. */
const wordsOf = ({ text }: Html): string => {
  const sentences = text.replace(/<pre.*?<\/pre>|<[^>]*>|&\w+;/gs, " ").toLowerCase()
  return [...new Set(sentences.match(/[a-z][a-z-]{3,}/g))].join(" ")
}

/** What leads to the guides from the docs page. */
export const guideCards = guides.map(
  ({ id, title, lead, text }) =>
    html`<article class="guide card" id="${id}" data-words="${wordsOf(text)}" aria-labelledby="${id}-title"><h3 id="${id}-title"><a href="docs/${id}">${title}</a></h3><p>${lead}</p></article>`,
)

export const guidePage = (document: OpenApiDocument, { id, title, lead, text }: (typeof guides)[number]): string =>
  framed(document, {
    title: `${title}: ${document.info.title} API`,
    description: lead,
    root: "../",
    script: "guide",
    contents: html`
<nav class="contents" id="contents" aria-label="Contents">
  <ul>
    <li><a href="../docs#overview">Overview</a></li>
    <li><a href="../docs#start">Quick start</a></li>
    <li><a href="../docs#operations">Operations</a></li>
    <li><a href="../docs#errors">Errors</a></li>
  </ul>
  <p class="nav-title" id="nav-guides">Guides</p>
  <ul aria-labelledby="nav-guides">${guides.map(
    (guide) => html`<li><a href="${guide.id}"${guide.id === id ? html` aria-current="page"` : ""}>${guide.title}</a></li>`,
  )}</ul>
</nav>`,
    search: html`<a class="search-open" href="../docs#search">${magnifier}</a>`,
    main: html`
<article class="guide-text" aria-labelledby="guide-title">
<h1 id="guide-title">${title}</h1>
<p class="tagline">${lead}</p>
${new Html(text.text.replaceAll(placeholderBase, `<span data-base>${placeholderBase}</span>`))}
</article>`,
  })
