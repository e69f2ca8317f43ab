/** The checks that every peer makes, as its users would write them: our rules, but integers above 2^53 are not exact. */
import { createHash } from "node:crypto"

export const statuses: ReadonlyArray<unknown> = ["available", "pending", "sold"]

export interface NewPetBody {
  readonly name: string
  readonly categoryId: number
  readonly status?: string
}

export interface PetRow extends NewPetBody {
  readonly id: number
}

export class Refusal extends Error {
  readonly code: string
  readonly status: number
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
  body(): { code: string; message: string; status: number } {
    return { code: this.code, message: this.message, status: this.status }
  }
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export interface KeyRow {
  readonly expires_at: number | string | null
  readonly revoked_at: number | string | null
}

export const requireValid = (row: KeyRow | undefined): void => {
  if (row === undefined || row.revoked_at !== null || (row.expires_at !== null && Number(row.expires_at) < Date.now()))
    throw new Refusal(401, "invalid_credential", "The API key is unknown, expired or revoked, or its account is disabled.")
}

/** The pet in a row. The row is absent if no pet has the identifier. */
export const petOf = (row: (PetRow & { readonly status?: string | null }) | undefined, id?: number): PetRow => {
  if (row === undefined) throw new Refusal(404, "pet_not_found", `No pet has the identifier ${id}.`)
  const { status, ...rest } = row
  return status === null || status === undefined ? rest : { ...rest, status }
}

export const keyOf = (authorization: string | undefined): string => {
  const key = /^bearer +([^ ]+)$/i.exec(authorization ?? "")?.[1]
  if (key === undefined) throw new Refusal(401, "missing_credential", "The request needs an API key.")
  return key
}

export interface PageQuery {
  readonly limit: number
  readonly status: string | undefined
  readonly after: number
}

/** A page's query. A peer's cursor is the last identifier in decimal digits. */
export const pageQueryOf = (query: Readonly<Record<string, unknown>>): PageQuery => {
  const limit = query["limit"] === undefined ? 20 : Number(query["limit"])
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new Refusal(400, "invalid_parameter", "limit: expected 1 to 100")
  const status = query["status"]
  if (status !== undefined && !statuses.includes(status)) throw new Refusal(400, "invalid_parameter", "status: unknown")
  const after = query["cursor"] === undefined ? 0 : Number(query["cursor"])
  if (!Number.isSafeInteger(after)) throw new Refusal(400, "invalid_parameter", "cursor: unknown")
  return { limit, status: typeof status === "string" ? status : undefined, after }
}

export const newPetOf = (body: unknown): NewPetBody => {
  if (typeof body !== "object" || body === null) throw new Refusal(400, "invalid_body", "body: expected an object")
  const { name, categoryId, status } = body as Record<string, unknown> // Safe: an object that is not null
  if (typeof name !== "string" || name.trim() === "" || name.length > 1024) throw new Refusal(400, "invalid_body", "name: wrong")
  if (typeof categoryId !== "number" || !Number.isSafeInteger(categoryId)) {
    throw new Refusal(400, "invalid_body", "categoryId: wrong")
  }
  if (status === undefined) return { name, categoryId }
  if (typeof status !== "string" || !statuses.includes(status)) throw new Refusal(400, "invalid_body", "status: wrong")
  return { name, categoryId, status }
}

export const linkOf = ({ limit, status }: PageQuery, rows: ReadonlyArray<PetRow>): string | undefined => {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  if (last === undefined) return undefined
  const filter = status === undefined ? "" : `&status=${status}`
  return `</v1/pets?limit=${limit}${filter}&cursor=${last.id}>; rel="next"`
}
