/** The operations of orders, as the contract describes them. All of them are experimental (specification, section 4.5). */
import { anywhere, creating, failures, json, read, success } from "./answers.js"
import type { Description } from "./described.js"
import { header } from "./headers.js"
import { parameter } from "./parameters.js"

const placed = {
  id: 9007199254740995n,
  petId: 9007199254740993n,
  status: "placed",
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
}
const closed = { ...placed, updatedAt: "2026-11-20T10:15:00.000Z" }

export const listOrders: Description = {
  tags: ["orders"],
  summary: "List orders",
  description:
    "Returns one page of the orders, in ascending order of `id`, with the paging of `GET /pets`. An order whose status changes during a filtered walk may or may not be seen.",
  "x-stability": "experimental",
  parameters: [
    parameter("limit"),
    parameter("orderStatus"),
    parameter("orderCursor"),
    parameter("ifNoneMatch"),
    parameter("requestId"),
  ],
  responses: {
    ...read(
      "One page of orders.",
      "Orders",
      { page: { summary: "One order", value: [placed] }, empty: { summary: "No orders", value: [] } },
      { Link: header("NextPage") },
    ),
    ...failures(["invalid_parameter", ...anywhere]),
  },
}

export const createOrder: Description = {
  tags: ["orders"],
  summary: "Order an animal",
  description:
    "Orders an animal whose status is `available`; it becomes `pending`. Of any number of callers one gets the animal. With an `Idempotency-Key` it is safe to send the request again.",
  "x-stability": "experimental",
  parameters: [parameter("idempotencyKey"), parameter("requestId")],
  requestBody: {
    description: "The animal to order, as a JSON object in UTF-8.",
    required: true,
    content: json("NewOrder", { order: { summary: "An order", value: { petId: placed.petId } } }),
  },
  responses: {
    201: success(
      "The order as it was placed.",
      "Order",
      { placed: { summary: "The new order", value: placed } },
      { Location: header("Location") },
    ),
    ...failures([...creating, "pet_not_found", "pet_not_available"]),
  },
}

export const getOrder: Description = {
  tags: ["orders"],
  summary: "Get an order",
  description: "Returns one order by its identifier.",
  "x-stability": "experimental",
  parameters: [parameter("orderId"), parameter("ifNoneMatch"), parameter("requestId")],
  responses: {
    ...read("The order.", "Order", { found: { summary: "The order", value: placed } }),
    ...failures([...anywhere, "order_not_found"]),
  },
}

const closing = (operation: Pick<Description, "summary" | "description">, status: string): Description => ({
  ...operation,
  tags: ["orders"],
  "x-stability": "experimental",
  parameters: [parameter("orderId"), parameter("requestId")],
  responses: {
    200: success("The order as it is now.", "Order", {
      closed: { summary: `The order, ${status}`, value: { ...closed, status } },
    }),
    ...failures([...anywhere, "order_not_found", "order_closed"]),
  },
})

export const completeOrder = closing(
  {
    summary: "Complete an order",
    description: "Ends a placed order well: its animal becomes `sold`. Completing it again changes nothing. A body is ignored.",
  },
  "completed",
)

export const cancelOrder = closing(
  {
    summary: "Cancel an order",
    description:
      "Ends a placed order without a sale: its animal is `available` again. Cancelling it again changes nothing. A body is ignored.",
  },
  "cancelled",
)
