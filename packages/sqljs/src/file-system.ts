import { readFileSync, statfsSync } from "node:fs"

/** Magic numbers (statfs(2), linux/magic.h) of file systems that other kernels may use or serve: local locks are not enough. */
const shared: Readonly<Record<number, string>> = {
  26985: "NFS",
  16914839: "9p",
  1702057286: "FUSE",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB2",
  12805120: "Ceph",
  1397113167: "AFS",
  1799439955: "AFS",
  1937076805: "Coda",
  18225520: "GFS2",
  1952539503: "OCFS2",
  198183888: "Lustre",
  1196443219: "GPFS",
  2020557398: "VirtualBox folders",
  3133910204: "VMware folders",
  2088527475: "Parallels folders",
}

/** The name of the file system at `path` if other machines may share it; `undefined` if it is local. Known only on Linux. */
export const sharedFileSystem = (path: string): string | undefined =>
  process.platform === "linux" ? shared[statfsSync(path).type >>> 0] : undefined

/** Whether the file itself is a mount point, as in containers. If so, its other names are in another folder. */
export const isMountedAlone = (path: string): boolean => {
  try {
    const escaped = path.replace(/[\\ \t\n]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`)
    return readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .some((line) => line.split(" ", 5)[4] === escaped)
  } catch {
    return false
  }
}
