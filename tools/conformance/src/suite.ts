/** The HTTP suite: every sentence that can be tested, in the order of the specification. */
import type { Sentence } from "./sentence.ts"
import { authentication } from "./sentences/authentication.ts"
import { categories, conditionalChanges } from "./sentences/categories.ts"
import { changing } from "./sentences/changing.ts"
import { conditional } from "./sentences/conditional.ts"
import { cors } from "./sentences/cors.ts"
import { creating } from "./sentences/creating.ts"
import { failures } from "./sentences/failures.ts"
import { filters } from "./sentences/filters.ts"
import { getting } from "./sentences/getting.ts"
import { idempotency } from "./sentences/idempotency.ts"
import { inventory } from "./sentences/inventory.ts"
import { listing } from "./sentences/listing.ts"
import { orderRequests } from "./sentences/order-requests.ts"
import { storeOrders } from "./sentences/orders.ts"
import { outside } from "./sentences/outside.ts"
import { paging } from "./sentences/paging.ts"
import { quickstart } from "./sentences/quickstart.ts"
import { rateLimit } from "./sentences/rate-limit.ts"
import { service } from "./sentences/service.ts"
import { values } from "./sentences/values.ts"
import { wireConnections } from "./sentences/wire-connections.ts"
import { wireMessages } from "./sentences/wire-messages.ts"
import { wirePaths } from "./sentences/wire-paths.ts"

const inOrder = (one: string, two: string): number => one.localeCompare(two, "en", { numeric: true })

const sections: ReadonlyArray<ReadonlyArray<Sentence>> = [
  ...[
    service,
    listing,
    paging,
    filters,
    creating,
    values,
    getting,
    quickstart,
    storeOrders,
    orderRequests,
    inventory,
    categories,
    changing,
    outside,
  ],
  ...[
    authentication,
    failures,
    wirePaths,
    wireMessages,
    wireConnections,
    conditional,
    conditionalChanges,
    idempotency,
    cors,
    rateLimit,
  ],
]

export const suite: ReadonlyArray<Sentence> = sections.flat().toSorted((one, two) => inOrder(one.number, two.number))
