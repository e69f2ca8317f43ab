/** The operation of the inventory, as the contract describes it. Experimental (specification, section 4.7). */
import { anywhere, failures, read } from "./answers.js"
import type { Description } from "./described.js"
import { parameter } from "./parameters.js"

export const getInventory: Description = {
  tags: ["inventory"],
  summary: "Count animals",
  description:
    "Answers how many animals there are of each status, without a status, and in all. The numbers are exact, those of orders and imports included, and cost the same however many animals there are.",
  "x-stability": "experimental",
  parameters: [parameter("ifNoneMatch"), parameter("requestId")],
  responses: {
    ...read("How many animals there are.", "Inventory", {
      counts: {
        summary: "Twelve animals",
        value: { available: 7, pending: 2, sold: 2, withoutStatus: 1, total: 12 },
      },
    }),
    ...failures(anywhere),
  },
}
