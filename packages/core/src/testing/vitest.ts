import { useByDefault } from "./runner.js"

/** vitest is an optional peer dependency. A program without vitest passes its own runner. */
await import("vitest").then(
  ({ describe, it }) =>
    useByDefault({ describe: (name, declare) => describe(name, declare), it: (name, test) => it(name, test) }),
  () => undefined,
)
