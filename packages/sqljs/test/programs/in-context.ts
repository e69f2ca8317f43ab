/** Counts the rows in a file with the package loaded into a `vm` context. Run this program with --experimental-vm-modules. */
import { readFileSync, writeSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as vm from "node:vm"

const [file = ""] = process.argv.slice(2)
const { process: own, Buffer: bytes, performance: clock, URL: Url } = globalThis
const context = vm.createContext({ process: own, Buffer: bytes, performance: clock, URL: Url, setImmediate })
const loaded = new Map<string, vm.Module>()

const load = async (name: string, from: string): Promise<vm.Module> => {
  const id = name.startsWith(".") ? new URL(name, from).href : name
  const known = loaded.get(id)
  if (known !== undefined) return known
  if (id.startsWith("file:")) {
    const module = new vm.SourceTextModule(readFileSync(fileURLToPath(id), "utf8"), {
      context,
      identifier: id,
      initializeImportMeta: (meta) => {
        meta.url = id
      },
    })
    loaded.set(id, module)
    return module
  }
  const names: Record<string, unknown> = await import(id)
  const module = new vm.SyntheticModule(
    Object.keys(names),
    function () {
      for (const [key, value] of Object.entries(names)) this.setExport(key, value)
    },
    { context },
  )
  loaded.set(id, module)
  return module
}

const main = await load(new URL("../../dist/index.js", import.meta.url).href, import.meta.url)
await main.link((name, from) => load(name, from.identifier))
await main.evaluate()
Object.assign(context, { DatabaseSync: Reflect.get(main.namespace, "DatabaseSync"), file: fileURLToPath(file) })
writeSync(
  1,
  `${vm.runInContext('new DatabaseSync(file).prepare("SELECT count(*) AS count FROM rows").get().count', context)} rows\n`,
)
