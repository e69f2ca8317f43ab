import type { Memory } from "./memory.js"

const sleeping = new Int32Array(new SharedArrayBuffer(4))

const dayOfYear = (date: Date) =>
  Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000)

/** Minutes west of UTC in January and in July. The larger of the two applies outside daylight saving. */
const offsetsIn = (year: number) => [0, 6].map((month) => new Date(year, month, 1).getTimezoneOffset())

export const clockCalls = (memory: () => Memory) => ({
  emscripten_date_now: () => Date.now(),
  /** libc sleeps by polling the clock, and uses this function for nothing else, so this call sleeps. */
  emscripten_get_now: () => {
    Atomics.wait(sleeping, 0, 0, 0.3)
    return performance.now()
  },
  _localtime_js: (time: bigint, pointer: number) => {
    const date = new Date(Number(time) * 1000)
    if (Number.isNaN(date.getTime())) return 1
    const offset = date.getTimezoneOffset()
    const fields = [
      date.getSeconds(),
      date.getMinutes(),
      date.getHours(),
      date.getDate(),
      date.getMonth(),
      date.getFullYear() - 1900,
      date.getDay(),
      dayOfYear(date),
      Number(offset < Math.max(...offsetsIn(date.getFullYear()))),
      -offset * 60,
    ]
    memory().ints.set(fields, pointer >> 2)
    return 0
  },
  _tzset_js: (timezone: number, daylight: number, standardName: number, daylightName: number) => {
    const offsets = offsetsIn(new Date().getFullYear())
    memory().setInt(timezone, Math.max(...offsets) * 60)
    memory().setInt(daylight, Number(offsets[0] !== offsets[1]))
    for (const name of [standardName, daylightName]) memory().bytes.write("LOC\0", name)
  },
})
