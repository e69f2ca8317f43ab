/** Formats a run as a table, with one line for each round and its problems below it. */
import type { Findings } from "./check.ts"
import type { RoundResult, Settings } from "./torture.ts"

const columns = [5, 24, 12, 8, 8, 14, 8] as const

const row = (...cells: ReadonlyArray<string | number>): string =>
  cells
    .map((cell, index) => (index === 1 ? String(cell).padEnd(columns[index]) : String(cell).padStart(columns[index] ?? 0)))
    .join("  ")

export const header = row("round", "fault", "acknowledged", "orders", "changes", "longest outage", "503")

const shown = 10

/** The line for one round. `plan` is the run's plan, so that a failure shows how to repeat it. */
export const line = (
  { round, note, acknowledged, orders, changes, longestOutageMillis, refusals, problems }: RoundResult,
  plan: Pick<Settings, "seed" | "store">,
): string => {
  const how = [round.fault.name, ...(note === undefined ? [] : [`(${note})`])].join(" ")
  const lines = [row(round.number, how, acknowledged, orders, changes, `${Math.round(longestOutageMillis)} ms`, refusals)]
  for (const problem of problems.slice(0, shown)) lines.push(`       ${problem}`)
  if (problems.length > shown) lines.push(`       and ${problems.length - shown} more`)
  if (problems.length > 0)
    lines.push(`       to repeat: npm run torture -- --rounds ${round.number} --seed ${plan.seed} --store ${plan.store}`)
  return lines.join("\n")
}

export const totals = ({ acknowledged, changes, lost, doubled, altered, resurrected, stale }: Findings): string =>
  `${acknowledged + changes} acknowledged, ${lost} lost, ${doubled} doubled, ${altered} altered, ${resurrected} resurrected, ${stale} stale`

/** @param failed  the round that caught the mutant, if any */
export const mutantLine = (mutant: string, failed: RoundResult | undefined): string =>
  failed === undefined
    ? `ESCAPED  ${mutant}`
    : `caught   ${mutant.padEnd(45)} in round ${failed.round.number}, ${failed.round.fault.name}: ${failed.problems[0] ?? totals(failed)}`
