/** The program: serves an agent over standard input and output, or agents over HTTP. */
import { parseArgs } from "node:util"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { createClient } from "@petstore/client"
import { basePath } from "@petstore/core/contract"
import { serveHttp } from "./http.ts"
import { mcpServers } from "./server.ts"

const usage = `petstore-mcp [--port PORT] serves an agent over standard input and output, or agents over HTTP on 127.0.0.1. Set:
  PETSTORE_URL       the service's address, with or without ${basePath} (http://127.0.0.1:3000)
  PETSTORE_API_KEY   an API key of the service; a read-only one gives only tools that read`

// biome-ignore lint/style/noProcessEnv: the one place that reads it
const { PETSTORE_URL: address = "http://127.0.0.1:3000", PETSTORE_API_KEY: apiKey } = process.env

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

/** The port, `undefined` for standard input and output, or null if the arguments are wrong. */
const portIn = (args: ReadonlyArray<string>): number | undefined | null => {
  try {
    const { port } = parseArgs({ args: [...args], options: { port: { type: "string" } } }).values
    if (port === undefined) return undefined
    return /^[0-9]{1,5}$/.test(port) && Number(port) < 65_536 ? Number(port) : null
  } catch {
    return null
  }
}

const port = portIn(process.argv.slice(2))

if (port === null || apiKey === undefined) stop(usage)
else {
  const origin = address.endsWith("/") ? address.slice(0, -1) : address
  try {
    const client = createClient({ baseUrl: origin.endsWith(basePath) ? origin : origin + basePath, apiKey })
    const createServer = mcpServers(client)
    if (port === undefined) await createServer().connect(new StdioServerTransport())
    else {
      const { url, token } = await serveHttp(createServer, port)
      process.stderr.write(`petstore-mcp is at ${url}. Send the header Authorization: Bearer ${token}\n`)
    }
  } catch (thrown) {
    if (thrown instanceof TypeError) stop(`PETSTORE_URL or PETSTORE_API_KEY is wrong. ${thrown.message}`)
    if (Object(thrown).code === "EADDRINUSE") stop(`Port ${port} is in use by another program.`)
    throw thrown
  }
}
