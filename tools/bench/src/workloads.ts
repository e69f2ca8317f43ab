import { drawPets } from "./names.ts"

/** How a server writes a cursor. */
export type CursorOf = (after: number, status: string | undefined) => string

/** Features besides pets that only some servers have: refusals and orders. */
export type Part = "rules" | "orders"

export interface Workload {
  readonly name: string
  /** A description of the workload's requests, for readers of the table. */
  readonly tells: string
  readonly connections: number
  /** Lua for wrk: sets `request`, and `right(status, body)`, which returns whether a response is correct. */
  readonly script: (catalogue: number, coldFile: string) => string
  /** Whether the requests come from a prepared list of targets (see {@link coldTargets}). */
  readonly isCold?: true
  readonly needs?: Part
}

const isPage = `function right(status, body) return status == 200 and body:byte(1) == 91 and body:byte(-1) == 93 and #body > 500 end`
const isPet = (status: number) =>
  `function right(status, body) return status == ${status} and body:sub(1, 6) == '{"id":' and body:byte(-1) == 125 end`
const isEither = `function right(status, body) return (status == 200 and body:byte(1) == 91 and #body > 500) or (status == 201 and body:sub(1, 6) == '{"id":') end`

const isError = (status: string) =>
  `function right(status, body) return (${status}) and body:byte(1) == 123 and body:find('"code":', 1, true) ~= nil end`

/** Bodies of create requests, generated once: many more than fit into a group commit. */
const bodies = Array.from({ length: 20_000 }, drawPets(2)).map((pet) => JSON.stringify({ ...pet, status: "available" }))

const create = `local bodies, place = {}, math.random(1, ${bodies.length})
for line in ([[${bodies.join("\n")}]]):gmatch("[^\\n]+") do bodies[#bodies + 1] = line end
local function create() place = place % #bodies + 1; return wrk.format("POST", "/v1/pets", nil, bodies[place]) end`

const seed = `math.randomseed(os.time())`

const connections = 64

const samePage = (name: string, target: string): Workload => ({
  name,
  tells: `GET ${target}, the same page each time`,
  connections,
  script: () => `local page = wrk.format("GET", "${target}")\nfunction request() return page end\n${isPage}`,
})

const creating = (name: string, clients: number, tells: string): Workload => ({
  name,
  tells: `POST /v1/pets, ${tells}`,
  connections: clients,
  script: () => `${create}\nfunction request() return create() end\n${isPet(201)}`,
})

export const workloads: ReadonlyArray<Workload> = [
  samePage("page of 20", "/v1/pets"),
  samePage("filtered page of 100", "/v1/pets?limit=100&status=sold"),
  {
    name: "get by id",
    tells: "GET /v1/pets/{petId} for random pets",
    connections,
    script: (catalogue) =>
      `${seed}\nfunction request() return wrk.format("GET", "/v1/pets/" .. math.random(1, ${catalogue})) end\n${isPet(200)}`,
  },
  creating("create, 64 connections", connections, "with each pet on disk before the response"),
  creating("create, 1 connection", 1, "one request after another"),
  {
    name: "mixed",
    tells: "nine pages of 20, then a create",
    connections,
    script: () => `${create}
local page, count = wrk.format("GET", "/v1/pets"), 0
function request() count = count + 1; if count % 10 == 0 then return create() end; return page end
${isEither}`,
  },
  {
    name: "cold",
    tells: "pages of 20 from random positions with random filters, so that no page was requested recently",
    connections,
    isCold: true,
    script: (_catalogue, coldFile) => `${seed}
local targets = {}
for line in io.lines("${coldFile}") do targets[#targets + 1] = line end
local place = math.random(1, #targets)
function request() place = place % #targets + 1; return wrk.format("GET", targets[place]) end
${isPage}`,
  },
  {
    name: "orders",
    tells: "POST /v1/store/orders for one pet after another, then the cancellation of each order",
    connections,
    needs: "orders",
    // Every fourth pet is available. Each run starts at a random position, because the previous run left some pets reserved.
    script: (catalogue) => `${seed}
local pet, placed = 4 * math.random(1, math.floor(${catalogue} / 4)), {}
function request()
  local order = table.remove(placed)
  if order then return wrk.format("POST", "/v1/store/orders/" .. order .. "/cancel") end
  pet = pet % (${catalogue} - 4) + 4
  return wrk.format("POST", "/v1/store/orders", nil, '{"petId":' .. pet .. '}')
end
function right(status, body)
  if status == 201 then table.insert(placed, body:match('"id":(%d+)')) end
  return status == 201 or status == 200 or body:find("pet_not_available", 1, true) ~= nil
end`,
  },
  { ...samePage("list of orders", "/v1/store/orders"), needs: "orders" },
  {
    name: "refusals",
    tells: "a limit of 0, a pet that does not exist and a body without a name, in rotation",
    connections,
    needs: "rules",
    script: () => `local count, refused = 0, {
  wrk.format("GET", "/v1/pets?limit=0"), wrk.format("GET", "/v1/pets/9007199254740991"), wrk.format("POST", "/v1/pets", nil, "{}"),
}
function request() count = count % 3 + 1; return refused[count] end
${isError("status == 400 or status == 404")}`,
  },
  {
    name: "401",
    tells: "GET /v1/pets alternately without a key and with a mistyped key",
    connections,
    needs: "rules",
    script: () => `local key, count = wrk.headers["Authorization"], 0
local mistyped = wrk.format("GET", "/v1/pets", { ["Authorization"] = key:sub(1, -2) .. (key:sub(-1) == "a" and "b" or "a") })
local keyless = wrk.format("GET", "/v1/pets", {})
function request() count = 1 - count; return count == 0 and mistyped or keyless end
${isError("status == 401")}`,
  },
]

/** The number of targets: more than a server can cache. */
const coldCount = 200_000

/** Request targets for the cold workload, with random positions and filters. */
export const coldTargets = (catalogue: number, cursorOf: CursorOf): string => {
  const filters = [undefined, "available", "pending", "sold"]
  const lines = Array.from({ length: coldCount }, () => {
    const status = filters[Math.floor(Math.random() * filters.length)]
    // The position is far enough from the end for a full page with each status.
    const cursor = cursorOf(1 + Math.floor(Math.random() * (catalogue - 200)), status)
    return `/v1/pets?limit=20${status === undefined ? "" : `&status=${status}`}&cursor=${cursor}`
  })
  return `${lines.join("\n")}\n`
}
