/** Loaded into the service before its own code: puts a broken store where it opens its own. The service is as built. */
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) => {
    const real = next(specifier, context)
    if (specifier !== "./storage.js" || context.parentURL?.includes("/http/dist/") !== true) return real
    const broken = new URL("./broken-storage.ts", import.meta.url).href
    // What else the module exports stays as it is.
    const source = `export * from ${JSON.stringify(real.url)}; export { serviceStorage } from ${JSON.stringify(broken)}`
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
  },
})
