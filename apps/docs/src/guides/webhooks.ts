import { codeBlock, terminalBlock } from "../code-block.ts"
import { html } from "../html.ts"

const withClient = `import { createServer } from "node:http"
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

const withPython = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhook.verify(body, dict(self.headers))
        except (WebhookVerificationError, ValueError) as error:
            self.send_response(400)
            self.end_headers()
            print("not verified:", error, flush=True)
            return
        self.send_response(204)
        self.end_headers()
        print(event["type"], event["data"]["id"], flush=True)

HTTPServer(("127.0.0.1", 3002), Receiver).serve_forever()`

const withPhp = `<?php
$body = file_get_contents("php://input");
$id = $_SERVER["HTTP_WEBHOOK_ID"] ?? "";
$sent = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
$signatures = explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "");
$key = base64_decode(substr(getenv("WEBHOOK_SECRET"), strlen("whsec_")));
$expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$sent.$body", $key, true));
$isSigned = array_filter($signatures, fn($signature) => hash_equals($expected, $signature)) !== [];
$isVerified = $isSigned && abs(time() - (int) $sent) <= 300;
http_response_code($isVerified ? 204 : 400);
error_log($isVerified ? json_decode($body)->type : "not verified");`

const example = `POST /hooks HTTP/1.1
content-type: application/json
webhook-id: 1-0UEtNZ
webhook-timestamp: 1795908122
webhook-signature: v1,YsBuPUsOFB/AvXAx6GVZVwBGrOp/rxOJr0qmmjJf94Y=

{"type":"createPet","timestamp":"2026-11-28T23:22:02.953Z","data":{"id":"1-0UEtNZ","at":"2026-11-28T23:22:02.953Z","operation":"createPet","by":{"account":{"id":"acc_3OIebESUA6GIdyR8","name":"shop"},"key":{"id":"key_j8d8MXNQ6HVGTBp6"}},"requestId":"a0b81544023199b9-1","after":{"pet":{"id":1,"name":"Bello","categoryId":1}}}}`

export const webhooks = {
  id: "webhooks",
  title: "Webhooks",
  lead: "Have the service send every change to your program, signed, in order, and at least once.",
  text: html`
<section>
<p>A webhook is an address of your program that gets each change as a <code>POST</code> request, by the Standard Webhooks specification (<code>standardwebhooks.com</code>). Experimental.</p>
<p>The operator of the service registers it, because an API key must not make the service call addresses. The secret is shown once:</p>
${terminalBlock("Register a webhook", "npx --no petstore webhooks add https://shop.example/hooks --operations createPet,completeOrder")}
<p>A service in development also takes an address on its own machine, such as <code>http://127.0.0.1:3002/</code>.</p>
</section>
<section>
<h2>What arrives</h2>
<p>This request is signed with the secret <code>whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw</code>:</p>
${codeBlock("A delivery", "HTTP", example)}
<p><code>type</code> is the operation, and <code>data</code> is a <a href="../docs#schema-Change">Change</a>: <code>before</code> and <code>after</code> have the animal, the order or the category. <code>data.id</code> is the <code>webhook-id</code>. Identifiers have 64 bits: read them with a parser that keeps all digits. The client gives them as <code>bigint</code>.</p>
</section>
<section>
<h2>Verify and respond</h2>
<p>Verify every request, because anyone can send one to a public address. The secret comes from the environment (<code>WEBHOOK_SECRET</code>), with its <code>whsec_</code>. Respond with 204 within 15 seconds, and do longer work afterwards. The samples take every path and print what they get.</p>
<p>With the <a href="../docs#client">client for TypeScript</a>, saved as <code>webhook.mts</code> and run with <code>node webhook.mts</code>:</p>
${codeBlock("Receive webhooks", "TypeScript", withClient)}
<p>With the library of the standard, which <code>pip install standardwebhooks</code> installs:</p>
${codeBlock("Receive webhooks", "Python", withPython)}
<p>Without a library: save this as <code>webhook.php</code> in a folder of its own, and run <code>php -S 127.0.0.1:3002 webhook.php</code>.</p>
${codeBlock("Receive webhooks", "PHP", withPhp)}
</section>
<section>
<h2>In any other language</h2>
<p>The specification has libraries for many languages. Without one:</p>
<ol>
<li>Read the body as bytes. Do not parse and write it again, which can change numbers and spaces.</li>
<li>The key is what follows <code>whsec_</code> in the secret, decoded from base64.</li>
<li>The signed text is <code>webhook-id</code>, a full stop, <code>webhook-timestamp</code>, a full stop, and the body.</li>
<li>Compute HMAC-SHA256 of the signed text with the key, and encode it as base64.</li>
<li><code>webhook-signature</code> has one or more signatures, separated by a space; for 24 hours after the secret was changed, there are two. Accept the request if one of them is <code>v1,</code> and your result. Compare in constant time.</li>
<li>Refuse a <code>webhook-timestamp</code> (seconds since 1970) that is more than five minutes from your clock.</li>
</ol>
</section>
<section>
<h2>When something fails</h2>
<p>A change can arrive twice, with the same <code>webhook-id</code>: keep the identifiers that you have handled beside what you made of them, for six days, and respond with 204 to those without doing more. If your program does not respond with a status from 200 to 299, the service tries again after 5 seconds, and then less often, for days. Later changes wait at first; if a change fails five times, later ones may overtake it.</p>
<p>With 410, your program ends the deliveries. The operator sees the status of each try, and can send a change again:</p>
${terminalBlock("See what was delivered", "npx --no petstore webhooks list\nnpx --no petstore webhooks deliveries wh_…\nnpx --no petstore webhooks redeliver wh_… 1-0UEtNZ")}
<p>To see what would arrive, without a program, run a receiver that verifies and prints, with the secret of a webhook for <code>http://127.0.0.1:3002/</code>:</p>
${terminalBlock("Try it out", "npx --no petstore webhooks listen --secret whsec_…")}
<p>To read changes when you choose to, <a href="following">follow them</a> instead.</p>
</section>`,
}
