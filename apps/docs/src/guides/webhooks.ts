import { codeBlock, terminalBlock } from "../code-block.ts"
import { html } from "../html.ts"

const receiver = `import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { verifyWebhook } from "@petstore/client"

createServer(async (request, response) => {
  try {
    const { type, data } = await verifyWebhook(await text(request), request.headers, process.env.WEBHOOK_SECRET ?? "")
    response.writeHead(204).end()
    console.log(type, data.id, data.after?.pet?.id)
  } catch (error) {
    response.writeHead(400).end()
    console.log(String(error))
  }
}).listen(3002, "127.0.0.1")`

export const webhooks = {
  id: "webhooks",
  title: "Webhooks",
  lead: "Have the service send every change to your program, signed, in order, and at least once.",
  text: html`
<section>
<p>A webhook is an address of your program that gets each change as a <code>POST</code> request, by the Standard Webhooks specification. The operator of the service registers it, because an API key must not make the service call addresses. The secret is shown once:</p>
${terminalBlock("Register a webhook", "npx --no petstore webhooks add https://shop.example/hooks --operations createPet,completeOrder")}
<p>The body is <code>{"type": "createPet", "timestamp": "…", "data": {…}}</code>: <code>data</code> is a <a href="../docs#schema-Change">Change</a>. Experimental.</p>
</section>
<section>
<h2>Receive</h2>
<p>Verify every request, because anyone can send one to a public address. Respond with 204 within 15 seconds, and do longer work afterwards:</p>
${codeBlock("Receive webhooks", "TypeScript", receiver)}
<p>A change can arrive twice, with the same <code>webhook-id</code>: drop what you have handled. If your program does not respond with a status from 200 to 299, the service tries again, for days.</p>
<p>To read changes when you choose to, <a href="following">follow them</a> instead.</p>
</section>`,
}
