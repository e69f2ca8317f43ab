/** The results as an SVG chart: the cores of each kind by catalogue, on a logarithmic scale. */
import type { Capacity } from "./capacity.ts"

const size = { width: 720, height: 360, left: 56, bottom: 64, top: 28 } as const

const parts = [
  { name: "service", colour: "#3b6ea5", of: ({ plan }: Capacity) => plan.services },
  { name: "coordinator, or the only server", colour: "#d98e2b", of: ({ plan }: Capacity) => plan.coordinatorCores },
  { name: "workers", colour: "#5b9a5b", of: ({ plan }: Capacity) => plan.workers * plan.coresOfWorker },
] as const

/** A count in words, such as `2 billion`. */
export const short = (count: number): string =>
  count >= 1e9 ? `${count / 1e9} billion` : count >= 1e6 ? `${count / 1e6} million` : String(count)

export const pictureOf = (capacities: ReadonlyArray<Capacity>): string => {
  const most = Math.max(...capacities.flatMap((capacity) => parts.map(({ of }) => of(capacity))))
  const decades = Math.max(1, Math.ceil(Math.log10(most)))
  const ground = size.height - size.bottom
  const heightOf = (cores: number): number =>
    cores <= 0 ? 0 : ((Math.log10(cores) + 0.3) / (decades + 0.3)) * (ground - size.top)
  const group = (size.width - size.left) / capacities.length
  const bar = group / (parts.length + 1)
  const lines = Array.from({ length: decades + 1 }, (_, decade) => {
    const y = (ground - heightOf(10 ** decade)).toFixed(1)
    return `<line x1="${size.left}" x2="${size.width}" y1="${y}" y2="${y}" stroke="#ccc"/><text x="${size.left - 6}" y="${y}" text-anchor="end" dominant-baseline="middle">${10 ** decade}</text>`
  })
  const bars = capacities.flatMap((capacity, index) => {
    const x = size.left + index * group
    const label = `<text x="${x + group / 2}" y="${ground + 18}" text-anchor="middle">${short(capacity.animals)} animals</text><text x="${x + group / 2}" y="${ground + 36}" text-anchor="middle">${short(capacity.load.perSecond)}/s, ${capacity.engine}</text>`
    return [
      label,
      ...parts.map(({ colour, of }, part) => {
        const height = heightOf(of(capacity))
        return `<rect x="${(x + bar * (part + 0.5)).toFixed(1)}" y="${(ground - height).toFixed(1)}" width="${(bar * 0.9).toFixed(1)}" height="${height.toFixed(1)}" fill="${colour}"><title>${of(capacity)} cores</title></rect>`
      }),
    ]
  })
  const legend = parts.map(
    ({ name, colour }, index) =>
      `<rect x="${size.left + index * 220}" y="6" width="12" height="12" fill="${colour}"/><text x="${size.left + 18 + index * 220}" y="16">${name}</text>`,
  )
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="#333" role="img" aria-label="Cores by catalogue and load">`
  return `${[head, `<rect width="${size.width}" height="${size.height}" fill="#fff"/>`, ...lines, ...bars, ...legend].join("\n")}\n</svg>\n`
}
