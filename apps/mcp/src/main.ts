/** The program: serves one agent over standard input and output. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { createClient } from "@petstore/client"
import { basePath } from "@petstore/core/contract"
import { createMcpServer } from "./server.ts"

const usage = `petstore-mcp serves an agent over standard input and output. Set:
  PETSTORE_URL       the service's address, with or without ${basePath} (http://127.0.0.1:3000)
  PETSTORE_API_KEY   an API key of the service; a read-only one gives only tools that read`

// biome-ignore lint/style/noProcessEnv: the one place that reads it
const { PETSTORE_URL: address = "http://127.0.0.1:3000", PETSTORE_API_KEY: apiKey } = process.env

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

if (process.argv.length > 2 || apiKey === undefined) stop(usage)
else {
  const origin = address.replace(/\/+$/, "")
  try {
    const client = createClient({ baseUrl: origin.endsWith(basePath) ? origin : origin + basePath, apiKey })
    await createMcpServer(client).connect(new StdioServerTransport())
  } catch (thrown) {
    if (thrown instanceof TypeError) stop(`PETSTORE_URL or PETSTORE_API_KEY is wrong. ${thrown.message}`)
    throw thrown
  }
}
