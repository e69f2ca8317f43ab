/** Tests every specification sentence that a client can verify, through nginx with `tools/deploy/nginx.conf`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { startService } from "@petstore/harness/serving"
import { declareEverySentence } from "./conformance-target.js"
import { startNginx } from "./nginx.js"

declareEverySentence("the service behind nginx", async ({ directory, environment }) => {
  const serving = await startService(environment)
  const folder = join(directory, "nginx")
  mkdirSync(folder)
  const nginx = await startNginx(folder, new URL(serving.baseUrl).host)
  setDefaultCACertificates([...getCACertificates("default"), nginx.certificate])
  const stop = async () => {
    await nginx.stop()
    return serving.stop()
  }
  return { baseUrl: nginx.baseUrl, stop }
})
