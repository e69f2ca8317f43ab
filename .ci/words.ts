/**
 * Counts the words that this project bans. `.ci/words-left` contains the allowed count, which only decreases: a change that adds a
 * banned word fails the check, and `npm run fix` (`--write`) lowers the count.
 *
 * If two branches lower the count, Git keeps both lines (`merge=union` in .gitattributes), and the smallest count applies.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const left = ".ci/words-left"

/** A space, or the end of a line and the start of the next one in a comment. */
const gap = String.raw`\s+(?:(?:\*|//|#|>)\s+)?`

/** The banned words, and what to write instead. */
const banned: Readonly<Record<string, string>> = {
  "nobody|somebody|whoever|whomever": "the server, the client, the caller: a subject with a name",
  [`what${gap}comes`]: "the thing itself, by its name",
  [`(?:is|are)${gap}none`]: "does not exist",
  [`(?<!there${gap})(?:is|are)${gap}no(?!-|${gap}longer)`]: "is not a",
}

const allowed: ReadonlyArray<{ readonly file: RegExp; readonly reason: string }> = [
  { file: /^\.ci\/words/, reason: "the check names the words" },
  {
    file: /^(package-lock\.json|apps\/http\/openapi\.json)$|\/api\/.*\.api\.md$/,
    reason: "generated from sources that are checked",
  },
]

const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
  encoding: "utf8",
})
const files = tracked.split("\0").filter((file) => file !== "" && !allowed.some((one) => one.file.test(file)))

const found: Array<string> = []
for (const file of files) {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    continue // Deleted but not yet staged.
  }
  for (const [words, instead] of Object.entries(banned)) {
    for (const match of text.matchAll(new RegExp(String.raw`\b(?:${words})\b`, "gi"))) {
      const line = text.slice(0, match.index).split("\n").length
      found.push(`${file}:${line}: "${match[0].replaceAll(/\s+/g, " ")}": write ${instead}`)
    }
  }
}

const most = Math.min(...readFileSync(left, "utf8").split("\n").filter(Boolean).map(Number))
const say = (text: string) => process.stdout.write(`${text}\n`)
if (process.argv.includes("--list")) say(found.sort().join("\n"))
if (process.argv.includes("--write")) {
  if (found.length <= most) writeFileSync(left, `${found.length}\n`)
} else if (found.length > most) {
  const changed = execFileSync("git", ["diff", "--name-only", "HEAD"], { encoding: "utf8" }).split("\n")
  const yours = found.filter((one) => changed.includes(one.split(":")[0] ?? ""))
  say(
    `${found.length} banned words, but ${left} allows ${most}: \`node .ci/words.ts --list\` lists them all. In files that you changed:`,
  )
  say((yours.length > 0 ? yours : ["none: look at your last commits"]).join("\n"))
  process.exitCode = 1
}
