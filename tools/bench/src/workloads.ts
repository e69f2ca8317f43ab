/** What is measured: requests, how many connections send them, and what a right answer looks like. */

/** How a server writes the place where a page starts. */
export type CursorOf = (after: number, status: string | undefined) => string

export interface Workload {
  readonly name: string
  readonly connections: number
  /** Lua for wrk: sets `request`, and `right(status, body)`, which says whether an answer is right. */
  readonly script: (catalogue: number, coldFile: string) => string
  /** Whether its answers come from a list of targets made before (see {@link coldTargets}). */
  readonly isCold?: true
}

const isPage = `function right(status, body) return status == 200 and body:byte(1) == 91 and body:byte(-1) == 93 and #body > 500 end`
const isPet = (status: number) =>
  `function right(status, body) return status == ${status} and body:sub(1, 6) == '{"id":' and body:byte(-1) == 125 end`
const isEither = `function right(status, body) return (status == 200 and body:byte(1) == 91 and #body > 500) or (status == 201 and body:sub(1, 6) == '{"id":') end`

const create = `local function create() return wrk.format("POST", "/v1/pets", nil, '{"name":"Bello","categoryId":7,"status":"available"}') end`

const seed = `math.randomseed(os.time())`

export const workloads: ReadonlyArray<Workload> = [
  {
    name: "page of 20",
    connections: 64,
    script: () => `local page = wrk.format("GET", "/v1/pets")\nfunction request() return page end\n${isPage}`,
  },
  {
    name: "filtered page of 100",
    connections: 64,
    script: () =>
      `local page = wrk.format("GET", "/v1/pets?limit=100&status=sold")\nfunction request() return page end\n${isPage}`,
  },
  {
    name: "get by id",
    connections: 64,
    script: (catalogue) =>
      `${seed}\nfunction request() return wrk.format("GET", "/v1/pets/" .. math.random(1, ${catalogue})) end\n${isPet(200)}`,
  },
  {
    name: "create, 64 connections",
    connections: 64,
    script: () => `${create}\nfunction request() return create() end\n${isPet(201)}`,
  },
  {
    name: "create, 1 connection",
    connections: 1,
    script: () => `${create}\nfunction request() return create() end\n${isPet(201)}`,
  },
  {
    name: "mixed",
    connections: 64,
    script: () => `${create}
local page, count = wrk.format("GET", "/v1/pets"), 0
function request() count = count + 1; if count % 10 == 0 then return create() end; return page end
${isEither}`,
  },
  {
    name: "cold",
    connections: 64,
    isCold: true,
    script: (_catalogue, coldFile) => `${seed}
local targets = {}
for line in io.lines("${coldFile}") do targets[#targets + 1] = line end
local place = math.random(1, #targets)
function request() place = place % #targets + 1; return wrk.format("GET", targets[place]) end
${isPage}`,
  },
]

/** The workload of a name, if there is one that needs no list of targets. */
export const workloadOf = (name: string): Workload | undefined =>
  workloads.find((workload) => workload.name === name && workload.isCold !== true)

/** More targets than a server can keep pages of, so that each is new or long forgotten when it comes. */
const coldCount = 200_000

/** Request targets of the cold workload: random places and filters. */
export const coldTargets = (catalogue: number, cursorOf: CursorOf): string => {
  const filters = [undefined, "available", "pending", "sold"]
  const lines = Array.from({ length: coldCount }, () => {
    const status = filters[Math.floor(Math.random() * filters.length)]
    // Far enough from the end for a full page of each status.
    const cursor = cursorOf(1 + Math.floor(Math.random() * (catalogue - 200)), status)
    return `/v1/pets?limit=20${status === undefined ? "" : `&status=${status}`}&cursor=${cursor}`
  })
  return `${lines.join("\n")}\n`
}
