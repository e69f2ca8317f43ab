/**
 * A machine with its own systemd for one test: namespaces, a temporary file system, and the repository as the release. The
 * machine does not start the host's units, and does not affect the host.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { childrenOf } from "@petstore/harness/processes"
import { temporaryFolder } from "@petstore/harness/testing"
import { onTestFinished } from "vitest"

/** Units that set up a real machine. The test does not need them, and some would change the host's kernel settings. */
const unwanted = [
  ...["tmpfiles-setup", "tmpfiles-setup-dev", "tmpfiles-clean", "sysctl", "modules-load", "remount-fs", "sysusers", "binfmt"],
  ...["update-utmp", "journal-flush", "random-seed", "machine-id-commit", "udevd", "udev-trigger", "firstboot", "hwdb-update"],
  ...["timesyncd", "pcrphase", "pcrphase-sysinit"],
]
  .map((name) => `systemd-${name}.service`)
  .concat("kmod-static-nodes.service", "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount")
  .concat("sys-kernel-tracing.mount", "sys-fs-fuse-connections.mount", "sys-kernel-config.mount", "swap.target")
  .concat("proc-sys-fs-binfmt_misc.automount", "proc-sys-fs-binfmt_misc.mount", "timers.target")

/** The script that boots the machine in the folder `$1`, with the release in `$2`. */
const boot = `
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
cd "$1"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs var/lib
mount --bind /dev dev
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir -p opt/petstore/release
mount --bind "$2" opt/petstore/release && mount -o remount,bind,ro opt/petstore/release
find etc/systemd/system -mindepth 1 -delete
printf '[Unit]\\nRequires=basic.target\\n' > etc/systemd/system/walk.target
for unit in ${unwanted.join(" ")}; do ln -s /dev/null etc/systemd/system/$unit; done
pivot_root . .
umount -l .
cd /
# As systemd does on a real machine, so that the credentials that it mounts reach the units.
mount --make-rshared /
export container=test
exec /lib/systemd/systemd --system --unit=walk.target --log-target=null --show-status=no
`

/** The timeout for the machine's start, in ms. */
const timeoutMillis = 240_000

/** Starts the machine. Returns a function that runs a shell script in the machine as root and returns the output. */
export const startMachine = async (release: string): Promise<(script: string) => string> => {
  const folder = temporaryFolder()
  const namespaces = ["--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc", "--cgroup", "--net"]
  const machine = spawn("unshare", [...namespaces, "sh", "-c", boot, "sh", folder, release], {
    stdio: ["ignore", "ignore", "inherit"],
  })
  onTestFinished(async () => {
    const closed = once(machine, "close")
    machine.kill("SIGKILL")
    await closed
  })
  const run = (script: string): string => {
    // The child of the program that created the namespaces is the machine's process 1.
    const [first = 0] = childrenOf(machine.pid ?? 0)
    return execFileSync("nsenter", ["--target", String(first), "--all", "sh", "-euc", `cd /\n${script}`], {
      encoding: "utf8",
      // Finds the machine's programs, not this repository's.
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["ignore", "pipe", "pipe"],
    })
  }
  const tooLateAt = Date.now() + timeoutMillis
  const isUp = (): boolean => {
    try {
      return run("systemctl is-active walk.target").trim() === "active"
    } catch {
      return false
    }
  }
  while (!isUp()) {
    if (machine.exitCode !== null || Date.now() > tooLateAt)
      throw new Error("the machine exited or did not start within 240 s: see its output above")
    await sleep(100)
  }
  return run
}
