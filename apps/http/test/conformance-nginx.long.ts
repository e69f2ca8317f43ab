/** Every sentence of the specification that a client can try, through nginx with the example of `tools/deploy/nginx.conf`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { startServing } from "@petstore/harness/serving"
import { declareEverySentence } from "./conformance-target.js"
import { startNginx } from "./nginx.js"

declareEverySentence("the service behind nginx", async ({ directory, environment }) => {
  const serving = await startServing(environment, "petstore", "serve")
  const folder = join(directory, "nginx")
  mkdirSync(folder)
  const nginx = await startNginx(folder, new URL(serving.url).host)
  setDefaultCACertificates([...getCACertificates("default"), nginx.certificate])
  const stop = async () => {
    await nginx.stop()
    return serving.stop()
  }
  return { url: nginx.baseUrl, stop }
})
