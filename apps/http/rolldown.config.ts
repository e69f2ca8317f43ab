/** Makes the program of its modules. A command then reads a few files where it would read hundreds, and starts in a quarter of the time. */
import { defineConfig } from "rolldown"

export default defineConfig({
  input: {
    main: "src/main.ts",
    "write-contract": "src/write-contract.ts",
    // Storage starts it as a thread, from the folder that its own code is in.
    "writer-thread": "../../packages/storage/dist/sqlite/writer-thread.js",
  },
  platform: "node",
  // Ours and effect become part of the program; what others wrote for Node stays where npm puts it.
  external: (id) => !/^[./]|^effect(?:$|\/)|^@effect\/|^@petstore\/(?:core|storage|sqljs)(?:$|\/)|^fast-check$/.test(id),
  output: {
    dir: "dist",
    format: "esm",
    chunkFileNames: "[name].js",
    sourcemap: true,
    codeSplitting: {
      groups: [
        { name: "effect", test: /node_modules/ },
        { name: "core", test: /packages\/core/ },
        { name: "sqljs", test: /packages\/sqljs/ },
        // A file of its own, so that the torture kit can put a broken store in its place.
        { name: "storage", test: /packages\/storage\/dist\/storage\.js$/ },
      ],
    },
    minifyInternalExports: false,
  },
})
