import { codeBlock, placeholderBase, terminalBlock } from "../code-block.ts"
import { html } from "../html.ts"

/** The configuration of VS Code, which asks for the key once and keeps it. */
const configuration = {
  inputs: [{ type: "promptString", id: "petstore-key", description: "API key of the pet store", password: true }],
  servers: {
    petstore: {
      type: "stdio",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of VS Code
      command: "${workspaceFolder}/node_modules/.bin/petstore-mcp",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of VS Code
      env: { PETSTORE_URL: placeholderBase, PETSTORE_API_KEY: "${input:petstore-key}" },
    },
  },
}

export const agents = {
  id: "agents",
  title: "Agents",
  lead: "Give an agent the operations as tools of the Model Context Protocol (MCP).",
  text: html`
<section>
<p><code>petstore-mcp</code> is a server for the Model Context Protocol. Every operation is a tool: <code>list_pets</code>, <code>correct_pet</code>, <code>complete_order</code> and so on. Identifiers keep all digits, <code>nextCursor</code> leads from page to page, and corrections need the <code>etag</code> of a read. A failure says what to do next.</p>
<p>Until its first release, start it from the service's repository:</p>
${terminalBlock("Build the server for agents", "npm ci && npm run tools && npm run build")}
</section>
<section>
<h2>Claude</h2>
${terminalBlock(
  "Give Claude the tools",
  `claude mcp add petstore --env PETSTORE_URL=${placeholderBase} --env "PETSTORE_API_KEY=$PETSTORE_API_KEY" -- "$PWD/node_modules/.bin/petstore-mcp"`,
)}
</section>
<section>
<h2>VS Code</h2>
<p>Save this in the repository as <code>.vscode/mcp.json</code>:</p>
${codeBlock("Give VS Code the tools", "JSON", JSON.stringify(configuration, null, 2))}
</section>
<section>
<h2>Other agents</h2>
<p>Most take a command with its environment, as above. For those that take an address, <code>petstore-mcp --port 3002</code> serves Streamable HTTP on 127.0.0.1, and prints the address and the token that requests have to send.</p>
</section>
<section>
<h2>What an agent may do</h2>
<p>The API key decides: with a read-only key (<code>petstore keys create --read-only</code>), there are only tools that read. The names of animals are text that other people wrote: let an agent ask before it changes or removes anything.</p>
</section>`,
}
