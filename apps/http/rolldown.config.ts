/** Bundles the program. A command then reads a few files instead of hundreds, and starts in a quarter of the time. */
import { defineConfig, type Plugin } from "rolldown"

/** V8 keeps a file's text, in two bytes a character if one of them is beyond Latin-1. */
const escapeCharacters: Plugin = {
  name: "escape-characters",
  generateBundle: (_options, bundle) => {
    for (const file of Object.values(bundle))
      if (file.type === "chunk")
        file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  },
}

export default defineConfig({
  input: {
    main: "src/main.ts",
    "write-contract": "src/write-contract.ts",
    // The storage package starts this file as a thread, and expects it next to the storage code.
    "writer-thread": "../../packages/storage/dist/sqlite/writer-thread.js",
  },
  platform: "node",
  plugins: [escapeCharacters],
  // Our packages and effect are bundled; other npm packages stay in node_modules.
  external: (id) =>
    !/^[./]|^effect(?:$|\/)|^@effect\/|^@petstore\/(?:bounded-http|client|core|pet-files|storage|sqljs)(?:$|\/)|^fast-check$/.test(
      id,
    ),
  output: {
    dir: "dist",
    format: "esm",
    chunkFileNames: "[name].js",
    sourcemap: true,
    codeSplitting: {
      groups: [
        { name: "effect", test: /node_modules/ },
        // Only commands that call a service load it: it loads what is behind fetch.
        { name: "client", test: /packages\/client/ },
        { name: "core", test: /packages\/core/ },
        { name: "sqljs", test: /packages\/sqljs/ },
        // A separate file, so that the torture kit can replace it with a broken store.
        { name: "storage", test: /packages\/storage\/dist\/storage\.js$/ },
      ],
    },
    minifyInternalExports: false,
    // V8 keeps the text of each file, and two fifths of Effect's are comments.
    comments: { jsdoc: false, annotation: false },
  },
})
