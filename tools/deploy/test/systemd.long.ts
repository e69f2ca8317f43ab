/** Checks the systemd unit with systemd itself. */
import { execFileSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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

it("the unit waits for a PostgreSQL server that starts late or is away, and reports a wrong password", async () => {
  const run = await startMachine(root)
  const bin = "/usr/lib/postgresql/15/bin"
  run(`
    useradd --system --home-dir /var/lib/petstore petstore
    ln -sfn /opt/petstore/release /opt/petstore/current
    install -d -m 0750 -g petstore /etc/petstore
    cd /opt/petstore/current
    sed -e '/^DATABASE_URL=/d' -e 's,^WORKERS=.*,,' tools/deploy/petstore.env > /etc/petstore/petstore.env
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
    stop: () => run("systemctl kill --signal=SIGQUIT database; while systemctl is-active --quiet database; do sleep 0.1; done"),
  }
  const status = (path: string) =>
    run(`curl -sS --max-time 2 -o /dev/null -w '%{http_code}' http://127.0.0.1:3000/${path} || true`)
  const settled = { timeout: 30_000, interval: 200 }

  await expect.poll(() => status("healthz"), settled).toBe("200")
  expect(status("readyz")).toBe("503")
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
