/** The server part of `node:http`. An import would load every name's modules, even `WebSocket`'s: a sixth of the start time. */
export const { createServer, Server, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http")
