/** Replaces the store of the unchanged service with a broken one. Node loads this module before the service's own code. */
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) => {
    const real = next(specifier, context)
    if (specifier !== "./storage.js" || context.parentURL?.includes("/http/dist/") !== true) return real
    const broken = new URL("./broken-storage.ts", import.meta.url).href
    // Other exports of the module stay unchanged.
    const source = `export * from ${JSON.stringify(real.url)}; export { serviceStorage } from ${JSON.stringify(broken)}`
    return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
  },
})
