/** Counts durations by bucket, at the cost of three additions each. Builds JSON in prom-client's format only on request. */
import { Histogram, type Registry } from "prom-client"

/** The durations that have the same labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** How many durations are between each bound and the previous one. */
  readonly counts: Array<number>
  count: number
  sumSeconds: number
}

/** @param bounds  upper bounds of the buckets, in s, ascending */
export const durationHistogram = (name: string, help: string, bounds: ReadonlyArray<number>, registers: Array<Registry>) => {
  const all: Array<Series> = []

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

  // This histogram observes nothing. It provides the metric's name and help.
  const frame = new Histogram({ name, help, buckets: [...bounds], registers })
  const about = frame.get()
  const read = async () => ({ ...(await about), values: all.flatMap(valuesOf) })
  // A registry reads a histogram by the first for JSON, and by the second for Prometheus.
  Object.assign(frame, { get: read, getForPromString: read })

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
  }
}
