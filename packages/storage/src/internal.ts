/** The exports that only the service uses. They may change in any release, so other programs should not import them. */
export { filesOfStore } from "./database-url.js"
export type { NodeState } from "./postgres/engine/nodes.js"
export { privateMode } from "./private-file.js"
export { publishFile } from "./publish-file.js"
export { refuseFullDisk, refuseUnwritable } from "./sqlite/engine/disk-checks.js"
export { freeBytes } from "./sqlite/engine/room.js"
export { serviceStorage } from "./storage.js"
export type { ServiceStorageOptions } from "./storage-options.js"
