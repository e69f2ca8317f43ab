/** The server part of `node:http`. An import would read all names, even `WebSocket`, and take a sixth of the start time. */
export const { createServer, Server, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http")
