/** Counts durations by bucket, at the cost of three additions each. Builds JSON in prom-client's format only on request. */
import { Histogram } from "prom-client"

/** The durations that have the same labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** How many durations are between each bound and the previous one. */
  readonly counts: Array<number>
  count: number
  sumSeconds: number
}

/** @param bounds  upper bounds of the buckets, in s, ascending */
export const durationHistogram = (name: string, help: string, bounds: ReadonlyArray<number>) => {
  const all: Array<Series> = []
  // This histogram observes nothing. It only provides the metric's name and help.
  const frame = new Histogram({ name, help, buckets: [...bounds], registers: [] })

  const valuesOf = ({ labels, counts, count, sumSeconds }: Series) => {
    let below = 0
    const buckets = bounds.map((le, at) => {
      below += counts[at] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sumSeconds },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }

  return {
    all,
    /** Creates a series. Call this once for each combination of labels, and keep the result. */
    series: (labels: Series["labels"]): Series => {
      const series = { labels, counts: bounds.map(() => 0), count: 0, sumSeconds: 0 }
      all.push(series)
      return series
    },
    observe: (series: Series, seconds: number): void => {
      series.count += 1
      series.sumSeconds += seconds
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at !== -1) series.counts[at] = (series.counts[at] ?? 0) + 1
    },
    toJson: async (): ReturnType<Histogram<string>["get"]> => ({ ...(await frame.get()), values: all.flatMap(valuesOf) }),
  }
}
