/** Follows docs/operations.md on a machine with systemd: every block of commands, in order, as it stands. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { startMachine } from "./systemd-machine.ts"

const root = join(import.meta.dirname, "../../..")

/** A repository whose main branch is this folder as it is, with changes that are not committed. */
const repositoryOf = (folder: string): string => {
  const repository = temporaryFolder()
  // biome-ignore lint/style/noProcessEnv: git needs a PATH, and its user's name
  const env = { ...process.env, GIT_INDEX_FILE: join(repository, "index") }
  const git = (...args: ReadonlyArray<string>): string =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env }).trim()
  git("init", "--quiet", "--bare", join(repository, "petstore.git"))
  git("add", "--all")
  const person = ["-c", "user.name=petstore", "-c", "user.email=petstore@petstore.example"]
  const commit = git(...person, "commit-tree", "-m", "As it is", git("write-tree"))
  git("push", "--quiet", join(repository, "petstore.git"), `${commit}:refs/heads/main`)
  execFileSync("git", ["-C", join(repository, "petstore.git"), "symbolic-ref", "HEAD", "refs/heads/main"])
  return repository
}

/** What the machine has before the guide begins: an operator's certificate, and later a PostgreSQL server with TLS. */
const certify = `
  install -d /var/lib/nginx
  install -d /etc/petstore/tls
  cd /etc/petstore/tls
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=petstore.example \\
    -addext subjectAltName=DNS:petstore.example,DNS:db.example -keyout privkey.pem -out fullchain.pem 2>&1
  echo 127.0.0.1 petstore.example db.example >> /etc/hosts`

const bin = "/usr/lib/postgresql/15/bin"
const startDatabase = `
  install -d -o postgres /run/database
  printf PASSWORD > /run/password
  runuser -u postgres -- ${bin}/initdb -D /run/database/data --username=petstore --pwfile=/run/password --auth=password --encoding=UTF8
  install -m 0600 -o postgres /etc/petstore/tls/fullchain.pem /run/database/data/server.crt
  install -m 0600 -o postgres /etc/petstore/tls/privkey.pem /run/database/data/server.key
  systemd-run --quiet --unit=database --collect --uid=postgres ${bin}/postgres -D /run/database/data -c unix_socket_directories= -c ssl=on
  until PGPASSWORD=PASSWORD psql -h 127.0.0.1 -U petstore postgres -qc 'CREATE DATABASE petstore' 2>/dev/null; do sleep 0.1; done`

it("every block of the guide runs as it stands, and moves a store of 200 000 animals to PostgreSQL, where the first key works", async () => {
  const guide = readFileSync(join(root, "docs/operations.md"), "utf8")
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block)
  const run = await startMachine(repositoryOf(root))
  // The machine has no network. npm takes its packages from the cache that `npm ci` of this repository filled.
  const operator = `
    export HOME=/root npm_config_offline=true REPOSITORY=/opt/petstore/release/petstore.git SSL_CERT_FILE=/etc/petstore/tls/fullchain.pem
    git config --global --replace-all safe.directory '*'`
  let done = 0
  /** Runs the next block, which has these words. */
  const follow = (words: string, script = (block: string) => block): string => {
    const block = blocks[done] ?? ""
    expect(block).toContain(words)
    done += 1
    try {
      return run(`${operator}\n${script(block)}`)
    } catch (cause) {
      throw new Error(run("journalctl --sync; journalctl -o cat -n 30"), { cause })
    }
  }

  follow("npm ci")
  const keyIn = (said: string): string => {
    const [key] = /pst_live_\w{38}/.exec(said) ?? []
    if (key === undefined) throw new Error(`no key in: ${said}`)
    return key
  }
  const key = keyIn(follow("petstore keys create"))
  const status = `curl -sS -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer ${key}' http://127.0.0.1:3000/v1/pets`
  expect(run(status)).toBe("200")
  const call = (path: string, body: object): string =>
    run(
      `curl -fsS -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' http://127.0.0.1:3000/v1/${path}`,
    )
  const rows = 'seq 200000 | awk \'BEGIN { print "name,categoryId,status" } { print "Pet " $1 "," $1 % 40 ",available" }\''
  expect(run(`${rows} | petstore import --format csv -`)).toContain("200000 kept")
  const revoked = keyIn(run("petstore keys create --account 'Pets & Co'"))
  run("petstore keys revoke $(petstore keys list --json | grep -o 'key_[A-Za-z0-9]*' | tail -n 1)")
  const order = call("store/orders", { petId: 7 })

  run(certify)
  expect(follow("nginx")).toContain('"status":"ready"')

  expect(follow("/metrics")).toContain("petstore_pets{")
  expect(run("petstore history --since 24h | wc -l").trim()).toBe("200002")

  expect(follow("systemctl start petstore-backup").match(/petstore-\S+\.timer/g)).toHaveLength(2)
  expect(run("journalctl --sync; journalctl -o cat | grep restored")).toContain("can be restored: 200000 animals and 2 keys")
  expect(run("ls -l /var/lib/petstore/backups")).toMatch(/^-rw------- 1 petstore petstore .+ petstore-\S+Z\.db$/m)
  call("pets", { name: "Not in the backup", categoryId: 1 })
  follow("petstore restore")
  expect(run("petstore export - --format csv | wc -l").trim()).toBe("200001")
  expect(run(status)).toBe("200")

  const mainPid = () => run("systemctl show --property=MainPID --value petstore")
  const version = () => run("readlink /proc/$(systemctl show --property=MainPID --value petstore)/cwd").trim()
  const before = mainPid()
  // The next release is the same one in another folder.
  run("cp -a /opt/petstore/1.0.0 /opt/petstore/1.1.0")
  follow("petstore migrate")
  // Requests during the restart wait. The first one that fails ends the script.
  run("for n in $(seq 100); do curl -fsS -o /dev/null http://127.0.0.1:3000/readyz; done")
  await expect.poll(version).toBe("/opt/petstore/1.1.0")
  expect(mainPid()).not.toBe(before)
  run("curl -fsS http://127.0.0.1:3000/readyz")
  follow("1.0.0")
  await expect.poll(version).toBe("/opt/petstore/1.0.0")
  expect(run(status)).toBe("200")

  const held = run("petstore export - --format csv --order desc | tail -n +2 | sha256sum")
  run(startDatabase)
  const since = performance.now()
  follow("petstore copy", (block) => `( ${block} ) < /dev/null > /run/copy.log 2>&1 &`)
  const said = () => run("tail -c 2000 /run/copy.log")
  await expect.poll(said, { timeout: 300_000 }).toContain("Now stop every service")
  const added = call("pets", { name: "Served during the copy", categoryId: 1 })
  follow("systemctl stop")
  await expect.poll(said, { timeout: 60_000 }).toContain("every table verified")
  follow("petstore.env")
  expect(performance.now() - since).toBeLessThan(600_000)
  expect(run(status)).toBe("200")
  expect(run(status.replace(key, revoked))).toBe("401")
  expect(run("petstore export - --format csv --order desc | tail -n +3 | sha256sum")).toBe(held)
  expect(run("petstore export - | tail -n 1").trim()).toBe(added)
  expect(run("petstore export - --orders").trim()).toBe(order)
  expect(run("curl -fsS http://127.0.0.1:9464/metrics")).toContain('petstore_pets{status="available"} 199999')
  run("systemctl start petstore-backup")
  expect(run("ls /var/lib/petstore/backups")).toMatch(/\.keys\.json$/m)
  expect(done).toBe(blocks.length)

  run("curl -fsS -o /dev/null 'http://127.0.0.1:3000/healthz?[1-20000]'")
  const lines = () => Number(run("journalctl --sync; journalctl -u petstore -o cat | grep -c healthz || true"))
  await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThanOrEqual(20_000)
  const journal = run("journalctl -u petstore -o cat | grep -v healthz").split("\n")
  const ours = journal.filter((line) => line !== "" && !/petstore\.s|pet store inventory service/.test(line))
  expect(ours.length).toBeGreaterThan(3)
  for (const line of ours) expect(() => JSON.parse(line), line).not.toThrow()
})
