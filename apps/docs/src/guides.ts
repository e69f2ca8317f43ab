/** What a caller should know beyond one operation. */
import { terminalBlock } from "./code-block.ts"
import { type Html, html } from "./html.ts"

interface Guide {
  readonly id: string
  readonly title: string
  readonly text: Html
}

/** In the order of the page. */
export const guides: ReadonlyArray<Guide> = [
  {
    id: "client",
    title: "Client for TypeScript",
    text: html`
<p><code>@petstore/client</code> calls the API from Node, browsers and edge runtimes: exact 64-bit identifiers, safe retries, typed failures, no dependency. Until its first release, pack it in the repository of the service for the folder of your program, such as <code>my-app</code>:</p>
${terminalBlock("Get the client", "mkdir -p ../my-app\nnpm pack --workspace @petstore/client --pack-destination ../my-app\ncd ../my-app && npm install ./petstore-client-*.tgz")}
<p>The samples are ES modules: keep one as <code>pets.mjs</code> and run <code>node pets.mjs</code>. In a folder of <code>npm init</code>, <code>.js</code> and <code>.ts</code> are CommonJS.</p>`,
  },
  {
    id: "paging",
    title: "Paging",
    text: html`
<p>A page holds at most <code>limit</code> animals, in ascending order of <code>id</code>. If more match, the response has a <code>Link</code> header with <code>rel="next"</code>: request its target as it stands, until a response has none. There is no page number: parameters that the operation does not name, such as <code>page</code>, are ignored.</p>
<p>Every animal that existed when you began is seen exactly once, whatever is added meanwhile. A cursor belongs to the filters and the order it was made for; the <code>limit</code> may change on the way.</p>`,
  },
  {
    id: "integers",
    title: "Large integers",
    text: html`
<p><code>id</code> and <code>categoryId</code> are integers of 64 bits, written as JSON numbers. Beyond 2<sup>53</sup> a reader that uses floating-point numbers changes the last digits: <code>JSON.parse("9007199254740993")</code> gives <code>9007199254740992</code>.</p>
<p>Read them with a 64-bit type: <code>long</code>, <code>i64</code>, <code>int</code> in Python, <code>bigint</code> with <code>@petstore/client</code>. This page shows every digit as it was sent.</p>`,
  },
  {
    id: "retries",
    title: "Safe retries",
    text: html`
<p>Without a response you cannot know whether the animal was added. Send <code>Idempotency-Key</code> with a name of your own, a UUID for example, and repeat the request with the same key and the same body: there is one animal, and you get the first response again, for 24 hours, marked <code>Idempotent-Replayed: true</code>.</p>
<p>Reads may be repeated at any time. After <code>429</code> and <code>503</code> wait for the seconds in <code>Retry-After</code>.</p>`,
  },
  {
    id: "caching",
    title: "Unchanged responses",
    text: html`
<p>A read carries an <code>ETag</code>. Send it back in <code>If-None-Match</code>: as long as nothing changed, the response is <code>304</code> without a body.</p>`,
  },
  {
    id: "rate-limit",
    title: "Rate limit",
    text: html`
<p>A deployment may limit the requests of each key in a minute. Then every response says so: <code>RateLimit-Policy</code> has the limit, <code>RateLimit</code> what is left (<code>r</code>) and in how many seconds all of it is back (<code>t</code>). Over the limit the response is <a href="#error-rate_limited"><code>429</code></a> with <code>Retry-After</code>.</p>`,
  },
  {
    id: "browsers",
    title: "Calls from a web page",
    text: html`
<p>A page of another origin may call the API only if the deployment names that origin (<code>CORS_ORIGINS</code>). Mind that everybody who opens such a page can read the key it sends.</p>`,
  },
]

export const guideSection: Html = html`
<section id="guides" aria-labelledby="guides-title"><details class="fold" data-fold open>
  <summary><h2 id="guides-title">Good to know</h2></summary>
  <div class="guides">${guides.map(
    ({ id, title, text }) =>
      html`<article class="guide card" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${title}</h3>${text}</article>`,
  )}</div>
</details></section>`
