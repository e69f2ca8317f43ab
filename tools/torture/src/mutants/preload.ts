/** Loaded into the service before its own code: puts a broken store where it opens its own. The service is as built. */
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "./storage.js" && context.parentURL?.includes("/http/dist/") === true
      ? { url: new URL("./broken-storage.ts", import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})
