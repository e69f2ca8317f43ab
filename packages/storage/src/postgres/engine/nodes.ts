/** The Citus cluster nodes that store rows, and whether they are up. */
import { StorageUnavailable } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { Database, Statements } from "./database.js"

/** A node that stores rows. */
export interface NodeState {
  /** `host:port`, as registered on the coordinator. */
  readonly node: string
  /** Whether the node responded to the coordinator within the statement timeout. */
  readonly isUp: boolean
}

const listNodes = "SELECT nodename, nodeport::text FROM pg_dist_node WHERE groupid <> 0 AND shouldhaveshards ORDER BY nodeid"

/** Queries one node through the coordinator, in a separate statement, so that an unresponsive node does not hide other nodes. */
const askNode =
  ({ attempt }: Statements) =>
  ([host, port]: ReadonlyArray<unknown>): Effect.Effect<NodeState> =>
    attempt("insert", "SELECT success FROM master_run_on_worker(ARRAY[$1], ARRAY[$2::int], ARRAY['SELECT 1'], false)", [
      host,
      port,
    ]).pipe(
      Effect.match({ onSuccess: ([row]) => row?.[0] === "t", onFailure: () => false }),
      Effect.map((isUp) => ({ node: `${host}:${port}`, isUp })),
    )

/** The state of every node. The list is empty for a single server, and while the coordinator is unavailable. */
export const nodeStates = ({ coordinator, layout }: Database): Effect.Effect<ReadonlyArray<NodeState>> =>
  layout === "one node"
    ? Effect.succeed([])
    : coordinator.read(listNodes).pipe(
        Effect.flatMap((nodes) => Effect.forEach(nodes, askNode(coordinator), { concurrency: "unbounded" })),
        Effect.orElseSucceed(() => []),
      )

/** Succeeds if some requests can succeed: the coordinator and at least one node respond to reads. */
export const someAnswers = ({ coordinator, layout }: Database): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    yield* coordinator.read("SELECT version FROM petstore_schema")
    if (layout === "one node") return
    const nodes = yield* coordinator.read(listNodes)
    const noneResponds = new StorageUnavailable({ cause: new Error("None of the nodes that store rows responded") })
    const answers = nodes.map((node) =>
      Effect.flatMap(askNode(coordinator)(node), ({ isUp }) => (isUp ? Effect.void : noneResponds)),
    )
    if (answers.length > 0) yield* Effect.raceAll(answers)
  })
