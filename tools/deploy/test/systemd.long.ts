/** Checks the systemd unit with systemd itself. */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { temporaryFolder } from "@petstore/harness/testing"
import { expect, it } from "vitest"
import { startMachine } from "./systemd-machine.ts"

const root = join(import.meta.dirname, "../../..")
const unit = readFileSync(join(root, "tools/deploy/petstore.service"), "utf8")

const analyze = (...args: ReadonlyArray<string>): string => {
  try {
    return execFileSync("systemd-analyze", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch (thrown) {
    // Safe: execFileSync adds the output to the error of a command that exited with a failure.
    const { stderr, stdout, message } = thrown as { stderr?: string; stdout?: string; message: string }
    return `${stdout ?? ""}${stderr ?? message}`
  }
}

/** Writes the units to files in which this repository takes the place of the release, so that the units' commands exist. */
const unitFiles = (): ReadonlyArray<string> => {
  const folder = temporaryFolder()
  cpSync(join(root, "tools/deploy/petstore.socket"), join(folder, "petstore.socket"))
  const file = join(folder, "petstore.service")
  writeFileSync(file, unit.replaceAll("/opt/petstore/current", root))
  const timed = ["petstore-backup", "petstore-try-restore"]
  for (const name of timed) {
    const text = readFileSync(join(root, `tools/deploy/${name}.service`), "utf8")
    writeFileSync(join(folder, `${name}.service`), text.replace("/usr/local/bin/", `${join(root, "tools/deploy")}/`))
    cpSync(join(root, `tools/deploy/${name}.timer`), join(folder, `${name}.timer`))
  }
  const names = ["petstore.socket", ...timed.flatMap((name) => [`${name}.service`, `${name}.timer`])]
  return [file, ...names.map((name) => join(folder, name))]
}

it("systemd accepts the units without a warning", () => {
  expect(analyze("verify", "--man=no", ...unitFiles())).toBe("")
})

it("systemd reports an exposure level below 2 for the unit", () => {
  const report = analyze("security", "--offline=true", ...unitFiles().slice(0, 1))
  const exposure = Number(/exposure level[^:]*: ([0-9.]+)/.exec(report)?.[1])
  // A level of 10 means no protection at all. The remaining exposure comes from the network and the JIT compiler.
  expect(exposure, report).toBeLessThan(2)
})

it("the journal has every change to accounts and keys, and every line under load, the one error among them", async () => {
  const run = await startMachine(root)
  run(`
    useradd --system --home-dir /var/lib/petstore petstore
    ln -sfn /opt/petstore/release /opt/petstore/current
    install -d -m 0750 -g petstore /etc/petstore
    cd /opt/petstore/current/tools/deploy
    install -m 0640 -g petstore petstore.env /etc/petstore
    install -m 0644 petstore.service petstore.socket /etc/systemd/system
    install -m 0755 petstore /usr/local/bin/petstore
    systemctl daemon-reload
    systemctl start petstore`)
  const { key } = JSON.parse(run(`petstore accounts create shop >&2; petstore keys create --account shop --json`))
  const { id } = JSON.parse(run("SUDO_USER=ann petstore keys create --account shop --json"))
  run(`petstore keys rotate ${id}; petstore keys revoke ${id}; petstore keys list`)
  const changes = run("journalctl --sync; journalctl -t petstore --facility=auth -p notice -o cat").trim().split("\n")
  const accountId = expect.stringMatching(/^acc_/)
  const keyId = expect.stringMatching(/^key_/)
  expect(changes.map((line) => JSON.parse(line))).toMatchObject([
    { operator: "root", accountId, name: "shop", msg: "account created" },
    { operator: "root", keyId, accountId, msg: "API key created" },
    { operator: "ann", keyId: id, accountId, msg: "API key created" },
    { operator: "root", keyId, former: id, msg: "API key rotated" },
    { operator: "root", keyId: id, msg: "API key revoked" },
  ])
  expect(changes.join()).not.toContain("pst_live_")

  // Another program holds the store's lock, so that one of 60 000 requests fails.
  const lock = `const db = new (require("node:sqlite").DatabaseSync)("/var/lib/petstore/petstore.db", { timeout: 60_000 })
    db.exec("BEGIN IMMEDIATE")
    require("node:fs").writeFileSync("/run/locked", "")
    setTimeout(() => {}, 5_000)`
  const failed = run(`
    for part in 1 2 3; do curl -fsS -o /dev/null 'http://127.0.0.1:3000/healthz?[1-20000]' & done
    /opt/petstore/release/node_modules/.bin/node -e '${lock}' &
    until [ -e /run/locked ]; do sleep 0.05; done
    curl -sS -H 'Authorization: Bearer ${key}' --json '{"name":"Mia","categoryId":1}' http://127.0.0.1:3000/v1/pets
    wait`)
  expect(failed).toContain("storage_unavailable")
  const lines = () => Number(run("journalctl --sync; journalctl -u petstore -o cat | grep -c healthz || true"))
  await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThanOrEqual(60_000)
  expect(run("journalctl -u petstore -p err -o cat")).toMatch(/^\{"level":"error",.*"requestId".*\}\n$/)
})

it("the unit waits for a PostgreSQL server that starts late or is away, and reports a wrong password", async () => {
  const run = await startMachine(root)
  const bin = "/usr/lib/postgresql/15/bin"
  run(`
    useradd --system --home-dir /var/lib/petstore petstore
    ln -sfn /opt/petstore/release /opt/petstore/current
    install -d -m 0750 -g petstore /etc/petstore
    cd /opt/petstore/current
    sed -e '/^DATABASE_URL=/d' -e 's,^#WORKERS=,WORKERS=,' tools/deploy/petstore.env > /etc/petstore/petstore.env
    (umask 077; echo postgres://petstore:secret@127.0.0.1/postgres > /etc/petstore/database-url)
    sed -e 's,^#\\(LoadCredential\\|Environment\\)=,\\1=,' tools/deploy/petstore.service > /etc/systemd/system/petstore.service
    install -m 0644 tools/deploy/petstore.socket /etc/systemd/system
    install -m 0755 tools/deploy/petstore /usr/local/bin/petstore
    install -d -o postgres /run/database
    printf secret > /run/password
    runuser -u postgres -- ${bin}/initdb -D /run/database/data --username=petstore --pwfile=/run/password --auth=password --encoding=UTF8
    systemctl daemon-reload
    systemctl start petstore`)
  const server = {
    start: () =>
      run(`systemd-run --quiet --unit=database --collect --uid=postgres \
        ${bin}/postgres -D /run/database/data -c unix_socket_directories=`),
    stop: () =>
      run(
        'systemctl kill --kill-who=main --signal=SIGQUIT database; until [ "$(systemctl show -P LoadState database)" = not-found ]; do sleep 0.1; done',
      ),
  }
  const status = (path: string) =>
    run(`curl -sS --max-time 2 -o /dev/null -w '%{http_code}' http://127.0.0.1:3000/${path} || true`)
  const settled = { timeout: 30_000, interval: 200 }
  /** Whether the service lives without its database for a minute. */
  const waits = async () => {
    for (const endsAt = Date.now() + 60_000; Date.now() < endsAt; await sleep(1_000))
      expect([status("healthz"), status("readyz")]).toEqual(["200", "503"])
  }

  await expect.poll(() => status("healthz"), settled).toBe("200")
  await waits()
  server.start()
  await expect.poll(() => status("readyz"), settled).toBe("200")

  const metrics = () => run("curl -sS --max-time 10 http://127.0.0.1:9464/metrics || true")
  await expect.poll(metrics, settled).toMatch(/^petstore_build_info\{.*worker="2"/m)
  server.stop()
  const workers = () =>
    run("pid=$(systemctl show --property=MainPID --value petstore); cat /proc/$pid/task/*/children").trim().split(" ")
  const [killed = "", other] = workers()
  run(`kill -9 ${killed}`)
  // A connection that was just given to the killed worker is lost.
  await expect.poll(() => status("healthz"), settled).toBe("200")
  await waits()
  expect(workers()).toEqual([other, expect.not.stringMatching(`^${killed}$`)])
  server.start()
  await expect.poll(() => status("readyz"), settled).toBe("200")

  server.stop()
  run("systemctl kill --kill-who=main --signal=SIGKILL petstore")
  await expect.poll(() => status("healthz"), settled).toBe("200")
  expect(status("readyz")).toBe("503")
  server.start()
  await expect.poll(() => status("readyz"), settled).toBe("200")
  expect(run("systemctl show --property=NRestarts --value petstore").trim()).toBe("1")
  const environment = "cat /proc/$(systemctl show --property=MainPID --value petstore)/environ"
  expect(run(environment)).not.toContain("secret")
  expect(run("petstore accounts create desk")).toContain("desk")

  run("sed -i s,secret,wrong, /etc/petstore/database-url; systemctl restart petstore || true")
  expect(run("journalctl -u petstore -o cat --priority=crit")).toContain("password authentication failed")
  expect(status("healthz")).toBe("000")
})
