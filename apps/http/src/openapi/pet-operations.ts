/** The operations of pets, as the contract describes them. */
import { anywhere, creating, failures, json, read, success } from "./answers.js"
import type { Description } from "./described.js"
import { header } from "./headers.js"
import { parameter } from "./parameters.js"

/** Past 2^53: whoever reads these as floating-point numbers sees other digits. */
const bello = { id: 9007199254740993n, name: "Bello", categoryId: 9223372036854775807n, status: "available" }
const mia = { id: bello.id + 1n, name: "Mia", categoryId: 7 }

export const listPets: Description = {
  tags: ["pets"],
  summary: "List animals",
  description:
    "Returns one page of the catalogue, in ascending order of `id`. If more animals match, the `Link` header holds the path of the next page. Following the links visits every animal that existed when paging began exactly once, whatever is added meanwhile. Parameters of other names are ignored.",
  "x-stability": "stable",
  parameters: [parameter("limit"), parameter("status"), parameter("cursor"), parameter("ifNoneMatch"), parameter("requestId")],
  responses: {
    ...read(
      "One page of animals.",
      "Pets",
      {
        page: { summary: "Two animals, the second without a status", value: [bello, mia] },
        empty: { summary: "Nothing matches", value: [] },
      },
      { Link: header("NextPage") },
    ),
    ...failures(["invalid_parameter", ...anywhere]),
  },
}

export const createPet: Description = {
  tags: ["pets"],
  summary: "Add an animal",
  description:
    "Adds an animal and answers it with the `id` that the service assigned. Members that are not listed are ignored, `id` among them. A `status` that is left out stays absent. The answer is sent after the animal is on disk. With an `Idempotency-Key` it is safe to send the request again: there is one animal, and the same answer.",
  "x-stability": "stable",
  parameters: [parameter("idempotencyKey"), parameter("requestId")],
  requestBody: {
    description: "The animal to add, as a JSON object in UTF-8.",
    required: true,
    content: json("NewPet", {
      whole: { summary: "With every member", value: { name: bello.name, categoryId: bello.categoryId, status: bello.status } },
      small: { summary: "Without a status", value: { name: mia.name, categoryId: mia.categoryId } },
    }),
  },
  responses: {
    201: success(
      "The animal as it was added.",
      "Pet",
      { created: { summary: "The new animal", value: bello } },
      { Location: header("Location") },
    ),
    ...failures(creating),
  },
}

export const getPet: Description = {
  tags: ["pets"],
  summary: "Get an animal",
  description:
    "Returns one animal by its identifier. Use `GET /pets` with the `status` filter instead: this operation is deprecated and is to be removed.",
  "x-stability": "stable",
  parameters: [parameter("petId"), parameter("ifNoneMatch"), parameter("requestId")],
  responses: {
    ...read("The animal.", "Pet", { found: { summary: "The animal", value: bello } }),
    ...failures([...anywhere, "pet_not_found"]),
  },
}
