/**
 * The docs page, generated from the contract when the service is built. It can be read without scripts.
 *
 * The running service replaces the placeholders `{{deployment}}` and `{{base}}`. It also repeats the row between
 * `<!--server-->` and `<!--/server-->` for each of its addresses, with `{{url}}` and `{{description}}`.
 */
import { getPetDeprecation, type OpenApiDocument, operationsOf, type PlacedOperation } from "@petstore/core/contract"
import { exampleCallOf } from "./call.ts"
import { placeholderBase, samplesBlock, terminalBlock } from "./code-block.ts"
import { guideSection, guides } from "./guides.ts"
import { type Html, html } from "./html.ts"
import { methodBadge, operationSection } from "./operation-section.ts"
import { day, inline, prose } from "./prose.ts"
import { errorSection, headerSection, schemaSection } from "./reference.ts"
import { sampleOrder } from "./samples.ts"
import { keyNote } from "./try-it-form.ts"

const paw = html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><g fill="currentColor"><ellipse cx="5.2" cy="11" rx="2.1" ry="2.8"/><ellipse cx="9.4" cy="6.2" rx="2.2" ry="3"/><ellipse cx="14.6" cy="6.2" rx="2.2" ry="3"/><ellipse cx="18.8" cy="11" rx="2.1" ry="2.8"/><path d="M12 11.2c-3 0-6 3.4-6 6.3 0 1.8 1.3 2.7 2.8 2.7 1.3 0 2-.7 3.2-.7s1.9.7 3.2.7c1.5 0 2.8-.9 2.8-2.7 0-2.900-3-6.300-6-6.300z"/></g></svg>`

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cg fill='%230b6e4f'%3E%3Cellipse cx='5.2' cy='11' rx='2.1' ry='2.8'/%3E%3Cellipse cx='9.4' cy='6.2' rx='2.2' ry='3'/%3E%3Cellipse cx='14.6' cy='6.2' rx='2.2' ry='3'/%3E%3Cellipse cx='18.8' cy='11' rx='2.1' ry='2.8'/%3E%3Cpath d='M12 11.2c-3 0-6 3.4-6 6.3 0 1.8 1.3 2.7 2.8 2.7 1.3 0 2-.7 3.2-.7s1.9.7 3.2.7c1.5 0 2.8-.9 2.8-2.7 0-2.900-3-6.300-6-6.300z'/%3E%3C/g%3E%3C/svg%3E"

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
  <p class="nav-title" id="nav-guides">Good to know</p>
  <ul aria-labelledby="nav-guides">${guides.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <p class="nav-title" id="nav-reference">Reference</p>
  <ul aria-labelledby="nav-reference">
    <li><a href="#errors">Errors</a></li>
    <li><a href="#headers">Headers</a></li>
    <li><a href="#schemas">Schemas</a></li>
    <li><a href="#versioning">Versions</a></li>
    <li><a href="openapi.json">openapi.json</a></li>
  </ul>
</nav>`

const header = html`
<header class="bar">
  <a class="brand" href="#overview">${paw}<span>Pet Store Inventory</span></a>
  <div class="bar-tools">
    <button class="search-open" type="button" data-search-open aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K"><svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M10.5 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20 20"/></svg><span>Search</span><kbd>Ctrl+K</kbd></button>
    <button class="icon" type="button" data-theme-toggle aria-label="Dark theme" aria-pressed="false"><svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path fill="currentColor" d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z"/></svg></button>
    <button class="icon menu" type="button" data-menu aria-expanded="false" aria-controls="contents" aria-label="Contents"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"><path stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M4 7h16M4 12h16M4 17h16"/></svg></button>
  </div>
</header>`

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

/** Removes the indentation of the templates, which only makes the page larger. Code and fields keep every character. */
const withoutIndentation = (page: string): string =>
  page
    .split(/(<pre.*?<\/pre>|<textarea.*?<\/textarea>)/s)
    .map((piece, index) => (index % 2 === 0 ? piece.replace(/\n\s+/g, "\n") : piece))
    .join("")

export const docsPage = (document: OpenApiDocument): string => {
  const operations = operationsOf(document).toSorted(
    ({ operation: a }, { operation: b }) => sampleOrder.indexOf(a.operationId) - sampleOrder.indexOf(b.operationId),
  )
  const page = html`<!doctype html>
<html lang="en" class="no-script" data-deployment="{{deployment}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${document.info.summary} The API of the pet store inventory: operations, errors, examples, and a way to try them.">
<title>${document.info.title} API</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="docs/page.css">
<script src="docs/theme.js"></script>
<script src="docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header}
${navigation(operations)}
<main id="main" tabindex="-1">
${overview(document)}
${quickStart(document)}
${authentication(document)}
<h2 class="group" id="operations">Operations</h2>
${operations.map(operationSection)}
${guideSection}
${errorSection(document)}
${headerSection(document)}
${schemaSection(document)}
${versioning()}
<footer><p>Generated from <a href="openapi.json">openapi.json</a>, version ${document.info.version}. Served by the service itself: nothing on this page is loaded from anywhere else.</p></footer>
</main>
<dialog class="search card" data-search aria-label="Search this page">
  <input type="text" data-search-words role="combobox" aria-expanded="true" aria-controls="search-results" aria-autocomplete="list" aria-label="Search operations, fields, errors and guides" placeholder="Search operations, fields, errors, guides" autocomplete="off" spellcheck="false">
  <ul id="search-results" role="listbox" aria-label="Results" data-search-results></ul>
  <p class="note" data-search-note role="status"></p>
</dialog>
</body>
</html>
`
  return withoutIndentation(page.text)
}
