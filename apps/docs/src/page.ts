/**
 * The docs page, generated from the contract when the service is built. It can be read without scripts.
 *
 * The running service replaces the placeholders `{{deployment}}` and `{{base}}`. It also repeats the row between
 * `<!--server-->` and `<!--/server-->` for each of its addresses, with `{{url}}` and `{{description}}`.
 */
import { getPetDeprecation, type OpenApiDocument, operationsOf, type PlacedOperation } from "@petstore/core/contract"
import { exampleCallOf } from "./call.ts"
import { placeholderBase, samplesBlock, terminalBlock } from "./code-block.ts"
import { framed, magnifier } from "./frame.ts"
import { guideCards, guides } from "./guide-page.ts"
import { type Html, html } from "./html.ts"
import { methodBadge, operationSection, responseSection } from "./operation-section.ts"
import { day, inline, prose } from "./prose.ts"
import { errorSection, foldedSection, headerSection, schemaSection } from "./reference.ts"
import { sampleOrder } from "./samples.ts"
import { topicArticles, topics } from "./topics.ts"
import { keyNote, responseTemplate } from "./try-it-form.ts"

const navigation = (operations: ReadonlyArray<PlacedOperation>): Html => html`
<nav class="contents" id="contents" aria-label="Contents">
  <ul>
    <li><a href="#overview">Overview</a></li>
    <li><a href="#start">Quick start</a></li>
    <li><a href="#authentication">Authentication</a></li>
  </ul>
  <p class="nav-title" id="nav-operations">Operations</p>
  <ul aria-labelledby="nav-operations">${operations.map(
    ({ method, operation }) => html`
    <li><a href="#${operation.operationId}">${methodBadge(method)} <span${operation.deprecated === true ? html` class="struck"` : ""}>${operation.summary}</span></a></li>`,
  )}</ul>
  <p class="nav-title" id="nav-guides">Guides</p>
  <ul aria-labelledby="nav-guides">${guides.map(({ id, title }) => html`<li><a href="docs/${id}">${title}</a></li>`)}${topics.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <p class="nav-title" id="nav-reference">Reference</p>
  <ul aria-labelledby="nav-reference">
    <li><a href="#errors">Errors</a></li>
    <li><a href="#responses">Responses</a></li>
    <li><a href="#headers">Headers</a></li>
    <li><a href="#schemas">Schemas</a></li>
    <li><a href="#versioning">Versions</a></li>
    <li><a href="openapi.json">openapi.json</a></li>
  </ul>
</nav>`

const overview = (document: OpenApiDocument): Html => html`
<section id="overview" class="hero" aria-labelledby="overview-title">
  <p class="eyebrow">API version ${document.info.version} <span class="pill deployment">{{deployment}}</span></p>
  <h1 id="overview-title">${document.info.title}</h1>
  <p class="tagline">${document.info.summary}</p>
  ${prose(document.info.description)}
  <dl class="facts">
    <div class="card"><dt>Base address</dt><dd><code data-base>${placeholderBase}</code></dd></div>
    <!--server--><div class="card"><dt>{{description}}</dt><dd><code>{{url}}</code></dd></div><!--/server-->
    <div class="card"><dt>Credential</dt><dd><code>Authorization: Bearer &lt;API_KEY&gt;</code></dd></div>
    <div class="card"><dt>Contract</dt><dd><a href="openapi.json">OpenAPI 3.1</a></dd></div>
  </dl>
</section>`

const quickStart = (document: OpenApiDocument): Html => html`
<section id="start" aria-labelledby="start-title">
  <h2 id="start-title">Quick start</h2>
  <ol class="steps">
    <li>
      <h3>Get an API key</h3>
      <p>Every API key belongs to an account. The service's operator creates both, and the key is shown once:</p>
      ${terminalBlock("Get an API key", "npx --no petstore accounts create my-team\nnpx --no petstore keys create --account my-team")}
      <p>On your own machine, the first start creates the account <code>development</code> and prints a key for it. To get another one:</p>
      ${terminalBlock("Get another key for development", "npx --no petstore keys create --account development")}
    </li>
    <li>
      <h3>Add an animal</h3>
      <p>Store the key where this page's samples look for it, and send your first request:</p>
      ${terminalBlock("Keep the key", "export PETSTORE_API_KEY=pst_…")}
      ${samplesBlock(exampleCallOf(document, "createPet"), "Add an animal")}
    </li>
    <li>
      <h3>See it in the list</h3>
      <p>Paste your key below and <a href="#listPets">list the animals</a> from this page.</p>
    </li>
    <li>
      <h3>Run every sample</h3>
      <p>On a new catalogue, the samples of <a href="#operations">the operations</a> in one language get the responses shown next to them if you run them from top to bottom.</p>
    </li>
  </ol>
</section>`

const authentication = (document: OpenApiDocument): Html => html`
<section id="authentication" aria-labelledby="authentication-title">
  <h2 id="authentication-title">Authentication</h2>
  <p>${inline(document.components.securitySchemes["apiKey"]?.["description"] ?? "")} Send it with every request, in the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Without a key, or with one that is not accepted, the response is <code>401</code>: <a href="#error-missing_credential"><code>missing_credential</code></a> or <a href="#error-invalid_credential"><code>invalid_credential</code></a>.</p>
  <p>A read-only key, created with <code>petstore keys create --read-only</code>, can read everything and change nothing. The response to a request that would change something is <code>403</code> <a href="#error-insufficient_scope"><code>insufficient_scope</code></a>. Experimental.</p>
  <div class="keys">
    <div class="card"><code>pst_live_…</code><span>production</span></div>
    <div class="card"><code>pst_test_…</code><span>staging</span></div>
    <div class="card"><code>pst_dev_…</code><span>a developer's own machine</span></div>
  </div>
  <div class="key-card card">
    <label for="page-key">Your API key, for every <em>Try it</em> on this page</label>
    <div class="key-row">
      <input id="page-key" type="text" class="masked" data-key autocomplete="off" spellcheck="false" placeholder="pst_…" aria-describedby="page-key-note">
      <button class="secondary" type="button" data-key-show aria-pressed="false">Show</button>
      <button class="secondary" type="button" data-key-forget>Forget</button>
    </div>
    <p class="note" id="page-key-note">${keyNote}</p>
    <label class="keep"><input type="checkbox" data-key-keep> Keep it for this tab, even after a reload</label>
  </div>
</section>`

const versioning = (): Html => html`
<section id="versioning" aria-labelledby="versioning-title">
  <h2 id="versioning-title">Versions</h2>
  <p>The version is part of every path: <code>/v1</code>. An operation marked <span class="pill experimental">experimental</span> may change in a minor release. Other operations change only in ways that do not affect callers.</p>
  <p>An operation marked <span class="pill deprecated">deprecated</span> says so in its responses, with <code>Deprecation</code> (RFC 9745) and <code>Sunset</code> (RFC 8594). Currently, the only one is <a href="#getPet"><code>GET /pets/{petId}</code></a>, which will be removed on <strong>${day(new Date(getPetDeprecation.sunset))}</strong>. It works unchanged until then. A release will remove it; the date alone will not.</p>
</section>`

export const docsPage = (document: OpenApiDocument): string => {
  const operations = operationsOf(document).toSorted(
    ({ operation: a }, { operation: b }) => sampleOrder.indexOf(a.operationId) - sampleOrder.indexOf(b.operationId),
  )
  return framed(document, {
    title: `${document.info.title} API`,
    description: `${document.info.summary} The API of the pet store inventory: operations, errors, examples, and a way to try them.`,
    root: "",
    script: "page",
    contents: navigation(operations),
    search: html`<button class="search-open" type="button" data-search-open aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K">${magnifier}<kbd>Ctrl+K</kbd></button>`,
    main: html`
${overview(document)}
${quickStart(document)}
${authentication(document)}
<h2 class="group" id="operations">Operations</h2>
${operations.map(operationSection)}
${foldedSection("guides", "Guides", html`<div class="guides">${guideCards}${topicArticles}</div>`)}
${errorSection(document)}
${responseSection(document)}
${headerSection(document)}
${schemaSection(document)}
${versioning()}`,
    dialog: html`${responseTemplate}
<dialog class="search card" data-search aria-label="Search this page">
  <input type="text" data-search-words role="combobox" aria-expanded="true" aria-controls="search-results" aria-autocomplete="list" aria-label="Search operations, fields, errors and guides" placeholder="Search operations, fields, errors, guides" autocomplete="off" spellcheck="false">
  <ul id="search-results" role="listbox" aria-label="Results" data-search-results></ul>
  <p class="note" data-search-note role="status"></p>
</dialog>`,
  })
}
