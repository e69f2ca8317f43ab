import { codeBlock, placeholderBase } from "../code-block.ts"
import { html } from "../html.ts"

const withClient = `import { createClient } from "@petstore/client"

const petstore = createClient({
  baseUrl: "${placeholderBase}",
  apiKey: process.env.PETSTORE_API_KEY ?? "",
})

const feed = petstore.changes({ from: "now" })
for await (const { at, operation, by, before, after } of feed) {
  console.log(at.toISOString(), operation, by, before?.pet, after?.pet)
}`

const withPython = `import os
from urllib.parse import urljoin

import requests

base = "${placeholderBase}"
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['PETSTORE_API_KEY']}"

newest = session.get(f"{base}/changes", params={"order": "desc", "limit": 1}, timeout=60)
newest.raise_for_status()
link = newest.links["monitor"]["url"] + "&wait=30"
while True:
    page = session.get(urljoin(base, link), timeout=60)
    page.raise_for_status()
    for change in page.json():
        print(change["at"], change["operation"], change.get("after"), flush=True)
    link = page.links["next"]["url"]`

export const following = {
  id: "following",
  title: "Follow changes",
  lead: "Read what happened, and wait for what happens next: a feed of every change, without polling.",
  text: html`
<section>
<p>Every change of an animal, an order or a category leaves a record: who did what, and the values before and after. <a href="../docs#listChanges"><code>GET /v1/changes</code></a> lists them for an audit, and for programs that copy the catalogue or react to it. Experimental.</p>
</section>
<section>
<h2>With the client</h2>
<p>The client waits, follows the links, and goes on after a lost connection:</p>
${codeBlock("Follow what happens from now on", "TypeScript", withClient)}
<p>Store <code>feed.cursor</code> with your data, and begin there after a restart: <code>petstore.changes({ cursor })</code>. You then miss nothing, and see at most the last 100 changes again, with the same <code>id</code>.</p>
</section>
<section>
<h2>With any HTTP library</h2>
<ul>
<li>Begin with <code>order=desc&amp;limit=1</code>. The response has a link with <code>rel="monitor"</code>, which leads to what happens after it. To read everything that is kept, begin without <code>order</code> instead.</li>
<li>Each page has a link with <code>rel="next"</code>, also the last one. Store it, and request it next.</li>
<li>With <code>wait=30</code>, the service responds as soon as something happens, or after 30 seconds with an empty page. The links keep <code>wait</code>. At most 10 requests of one key may wait.</li>
</ul>
${codeBlock("Follow what happens from now on", "Python", withPython)}
</section>
<section>
<h2>When you were away for long</h2>
<p>The operator decides how long changes are kept. If a change after your cursor is no longer kept, the response is <a href="../docs#error-cursor_expired"><code>410</code></a>: note the newest change, read everything again, and follow from there.</p>
<p>To have the service send changes to your program instead, use <a href="webhooks">webhooks</a>.</p>
</section>`,
}
