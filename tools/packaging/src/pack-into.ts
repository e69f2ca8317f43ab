/**
 * Packs built packages into a folder, complete with their documents, and prints the paths of the tarballs.
 *
 *     npm run pack -- FOLDER                packs every package and the service
 *     npm run pack -- FOLDER core storage   packs only the named packages; the service is called petstore
 */
import { existsSync, mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { say } from "@petstore/harness/command-line"
import { packAll } from "./pack.ts"
import { app, publishedPackages } from "./published.ts"

const all = new Map([...publishedPackages, app].map((published) => [published.name.replace("@petstore/", ""), published]))

const refuse = (reason: string): never => {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}

const [folder = refuse("The folder is missing: npm run pack -- FOLDER [PACKAGE…]"), ...names] = process.argv.slice(2)
const packages = (names.length === 0 ? [...all.keys()] : names).map((name) => {
  const published = all.get(name) ?? refuse(`There is no package ${name}. The packages are ${[...all.keys()].join(", ")}.`)
  return existsSync(join(published.folder, "dist")) ? published : refuse(`${name} is not built: run npm run build.`)
})
mkdirSync(folder, { recursive: true })
for (const { path } of packAll(resolve(folder), { packages })) say(path)
