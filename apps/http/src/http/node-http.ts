/**
 * The server part of `node:http`. An import of any of its names reads all of them, including the client's WebSocket. Loading all
 * these modules takes a sixth of the service's start time.
 */
export const { createServer, Server, ServerResponse, STATUS_CODES } = process.getBuiltinModule("node:http")
