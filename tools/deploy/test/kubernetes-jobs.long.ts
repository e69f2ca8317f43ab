/** Runs the commands of the Kubernetes jobs, without a cluster. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { commandPath, environmentIn, runProgram } from "@petstore/harness/command"
import { serve, temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { parseAllDocuments } from "yaml"

const objectsOf = (name: string) =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, `../kubernetes/${name}.yaml`), "utf8")).map((document) =>
    document.toJS(),
  )

it("the jobs of the Kubernetes manifests run as they stand beside a served store, each in a process namespace of its own as in a container", async () => {
  const place = temporaryFolder()
  const inPlace = (text: string) => text.replace(/^(sqlite:)?\/(data|backups)\b/, `$1${place}/$2`)
  mkdirSync(join(place, "data"))
  const { DATABASE_URL, BACKUP_FOLDER } = objectsOf("sqlite")[0].data
  const jobs = [...objectsOf("sqlite-backup").map(({ spec }) => spec.jobTemplate), ...objectsOf("sqlite-restore")]
  const environment = environmentIn(place, { DATABASE_URL: inPlace(DATABASE_URL), BACKUP_FOLDER: inPlace(BACKUP_FOLDER) })
  const isRoot = process.getuid?.() === 0
  const [program, ...before] = [...(isRoot ? ["unshare", "--pid", "--fork", "--mount-proc"] : []), commandPath("petstore")]
  const job = (index: number) => {
    const args: ReadonlyArray<string> = jobs[index].spec.template.spec.containers[0].args
    return runProgram(environment, program ?? "", [...before, ...args.map(inPlace)], { folder: place })
  }
  const service = await serve(environment)
  const { key, baseUrl } = service
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const add = () => fetch(`${baseUrl}/pets`, { method: "POST", headers, body: '{"name":"Bello","categoryId":1}' })
  await add()
  expect(await job(0)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("1 animal") })
  await add()
  expect(await job(1)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("can be restored: 1 animal and 1 key") })
  expect(await job(2)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("is in use") })
  await service.stop()
  expect(await job(2)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("The store has been restored: 1 animal"),
    stderr: expect.stringMatching(/The newest backup is .*\/backups\/petstore-.*\.db\./),
  })
})
