/**
 * The server of `node:http`. An import of any of its names reads all of them, and one is the WebSocket of the client: what
 * it loads takes a sixth of the time in which the service starts.
 */
export const { createServer, Server, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http")
