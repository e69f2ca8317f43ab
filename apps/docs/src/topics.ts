/** Short texts on the docs page about topics that concern more than one operation. */
import { terminalBlock } from "./code-block.ts"
import { html } from "./html.ts"

export const topics = [
  {
    id: "client",
    title: "Client for TypeScript",
    text: html`
<p><code>@petstore/client</code> calls the API from Node, browsers and edge runtimes. It has exact 64-bit identifiers, safe retries, typed failures and no dependencies. Until its first release, pack it in the service's repository for your program's folder, such as <code>my-app</code>:</p>
${terminalBlock("Get the client", "npm run pack -- ../my-app client\ncd ../my-app && npm install ./petstore-client-*.tgz")}
<p>The samples are ES modules: save one as <code>pets.mjs</code> and run <code>node pets.mjs</code>. In a folder created by <code>npm init</code>, <code>.js</code> and <code>.ts</code> files are CommonJS.</p>`,
  },
  {
    id: "paging",
    title: "Paging",
    text: html`
<p>A page has at most <code>limit</code> animals, in ascending order of <code>id</code>. If more animals match, the response has a <code>Link</code> header with <code>rel="next"</code>: request its target unchanged, until a response has no such header. There are no page numbers: parameters that the operation does not name, such as <code>page</code> or <code>offset</code>, are ignored. A parameter or a member of a body in another spelling, such as <code>Status</code>, <code>id[]</code> or <code>category_id</code>, is refused with the right one.</p>
<p>You see every animal that existed when you began exactly once, even if others are added in the meantime. A cursor belongs to the filters and the order that it was made for. The <code>limit</code> may change from page to page.</p>`,
  },
  {
    id: "integers",
    title: "Large integers",
    text: html`
<p><code>id</code> and <code>categoryId</code> are 64-bit integers, written as JSON numbers. Beyond 2<sup>53</sup>, a parser that uses floating-point numbers changes the last digits: <code>JSON.parse("9007199254740993")</code> returns <code>9007199254740992</code>.</p>
<p>Read them with a 64-bit type: <code>long</code>, <code>i64</code>, <code>int</code> in Python, <code>bigint</code> with <code>@petstore/client</code>. This page shows all digits as they were sent.</p>`,
  },
  {
    id: "retries",
    title: "Safe retries",
    text: html`
<p>Without a response, you cannot know whether the animal was added. Send an <code>Idempotency-Key</code> header with a name of your choice, such as a UUID, and repeat the request with the same key and the same body. Only one animal is added, and for 24 hours you get the first response again, marked <code>Idempotent-Replayed: true</code>.</p>
<p>Reads may be repeated at any time. After <code>429</code> and <code>503</code>, wait for the number of seconds in <code>Retry-After</code>.</p>`,
  },
  {
    id: "caching",
    title: "Unchanged responses",
    text: html`
<p>The response to a read has an <code>ETag</code>. Send it back in <code>If-None-Match</code>: as long as nothing has changed, the response is <code>304</code> without a body.</p>`,
  },
  {
    id: "rate-limit",
    title: "Rate limit",
    text: html`
<p>A deployment may limit the number of requests that each key may send in a minute. Every response then reports the limit: <code>RateLimit-Policy</code> has the limit itself, and <code>RateLimit</code> has the number of requests left (<code>r</code>) and the number of seconds until all of them are available again (<code>t</code>). Over the limit, the response is <a href="#error-rate_limited"><code>429</code></a> with <code>Retry-After</code>.</p>`,
  },
  {
    id: "browsers",
    title: "Calls from a web page",
    text: html`
<p>A page on another origin can call the API only if the deployment allows that origin (<code>CORS_ORIGINS</code>). Note that anyone who opens such a page can read the key that it sends.</p>`,
  },
]

/** The texts as parts of the docs page. */
export const topicArticles = topics.map(
  ({ id, title, text }) =>
    html`<article class="guide card" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${title}</h3>${text}</article>`,
)
