/** The comparison as an SVG chart: a server's rate relative to its rival's for each workload. */
import { type Result, ratiosOf, resultsOf } from "./contest.ts"
import { median } from "./session.ts"

const size = { width: 720, left: 210, right: 60, top: 34, row: 26 } as const

const colours = { faster: "#3b6ea5", slower: "#d98e2b" } as const

/** XML reserves these characters in text and attributes. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** @param rival  the server whose rate is 1; workloads that either server did not run are omitted */
export const pictureOf = (results: ReadonlyArray<Result>, server: string, rival: string): string => {
  const bars = [...new Set(results.map(({ workload }) => workload))].flatMap((workload) => {
    const ratios = ratiosOf(resultsOf(results, workload, server), resultsOf(results, workload, rival))
    return ratios.length === 0 ? [] : [{ workload, ratio: median(ratios) }]
  })
  const most = Math.max(1, ...bars.map(({ ratio }) => ratio))
  const xOf = (ratio: number): number => size.left + (ratio / most) * (size.width - size.left - size.right)
  const height = size.top + bars.length * size.row + 10
  const drawn = bars.map(({ workload, ratio }, index) => {
    const y = size.top + index * size.row
    const colour = ratio < 1 ? colours.slower : colours.faster
    const middle = y + size.row / 2
    return [
      `<text x="${size.left - 8}" y="${middle}" text-anchor="end" dominant-baseline="middle">${escaped(workload)}</text>`,
      `<rect x="${size.left}" y="${y + 4}" width="${(xOf(ratio) - size.left).toFixed(1)}" height="${size.row - 8}" fill="${colour}"/>`,
      `<text x="${(xOf(ratio) + 6).toFixed(1)}" y="${middle}" dominant-baseline="middle">${ratio.toFixed(2)} ×</text>`,
    ].join("\n")
  })
  const title = `Requests per second of ${server}, as a multiple of ${rival}`
  const one = xOf(1).toFixed(1)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="sans-serif" font-size="12" fill="#333" role="img" aria-label="${escaped(title)}">
<rect width="${size.width}" height="${height}" fill="#fff"/>
<text x="8" y="20" font-weight="bold">${escaped(title)}</text>
${drawn.join("\n")}
<line x1="${one}" x2="${one}" y1="${size.top}" y2="${height - 10}" stroke="#333" stroke-dasharray="3 3"/>
</svg>
`
}
