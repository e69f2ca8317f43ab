/** A registry on loopback: it accepts published packages, and forwards other requests to npm's registry. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runServer } from "verdaccio"

export interface Registry {
  /** The environment in which npm uses this registry and publishes to it, without the caller's settings. */
  readonly environment: NodeJS.ProcessEnv
  readonly stop: () => Promise<void>
}

/** Removes the variables that npm passes to its scripts, because the npm in a test would inherit them. */
const withoutNpm = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^npm_/i.test(name)))

export const startRegistry = async (): Promise<Registry> => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-registry-"))
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  const all = { access: "$all", publish: "$authenticated" }
  const server: Server = await runServer({
    storage: join(folder, "storage"),
    self_path: join(folder, "config.yaml"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream, maxage: "60m", timeout: "60s" } },
    // Our packages come only from here, even if they exist upstream.
    packages: { "@petstore/*": all, "**": { ...all, proxy: "upstream" } },
    log: { type: "stdout", format: "pretty", level: "fatal" },
    web: { enable: false },
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // Safe: the server listens on a port, not on a path.
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/`
  const made = await fetch(`${address}-/user/org.couchdb.user:publisher`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "publisher", password: "a password" }),
  })
  const { token }: { readonly token?: string } = JSON.parse(await made.text())
  const settings = join(folder, "npmrc")
  writeFileSync(
    settings,
    `registry=${address}\n${address.slice("http:".length)}:_authToken=${token}\ncache=${join(folder, "cache")}\nfund=false\naudit=false\n`,
  )
  return {
    // biome-ignore lint/style/noProcessEnv: programs that npm starts need the rest of the environment
    environment: { ...withoutNpm(process.env), NPM_CONFIG_USERCONFIG: settings },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
      rmSync(folder, { recursive: true })
    },
  }
}
