/** The peer's store on PostgreSQL: the driver's own pool, one query per call. */
import { Pool } from "pg"
import { type PetRow, Refusal, sha256 } from "./rules.ts"
import type { WaitingPeerStore } from "./store.ts"

const columns = `id::float8 AS id, name, category_id::float8 AS "categoryId", status`

const pet = (row: PetRow & { status?: string | null }): PetRow => {
  const { status, ...rest } = row
  return status === null || status === undefined ? rest : { ...rest, status }
}

export const postgresStore = (url: string): WaitingPeerStore => {
  const pool = new Pool({ connectionString: url, max: 10 })
  return {
    checkKey: async (secret) => {
      const { rows } = await pool.query("SELECT expires_at, revoked_at FROM api_keys WHERE hash = $1", [sha256(secret)])
      const row: { expires_at: string | null; revoked_at: string | null } | undefined = rows[0]
      if (row === undefined || row.revoked_at !== null || (row.expires_at !== null && Number(row.expires_at) < Date.now())) {
        throw new Refusal(401, "invalid_credential", "The API key is unknown, expired or revoked.")
      }
    },
    page: async ({ limit, status, after }) => {
      const { rows } = await (status === undefined
        ? pool.query(`SELECT ${columns} FROM pets WHERE id > $1 ORDER BY pets.id LIMIT $2`, [after, limit + 1])
        : pool.query(`SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY pets.id LIMIT $3`, [
            status,
            after,
            limit + 1,
          ]))
      return rows.map(pet)
    },
    find: async (id) => {
      const { rows } = await pool.query(`SELECT ${columns} FROM pets WHERE id = $1`, [id])
      if (rows[0] === undefined) throw new Refusal(404, "pet_not_found", `No pet has the identifier ${id}.`)
      return pet(rows[0])
    },
    create: async ({ name, categoryId, status }) => {
      const { rows } = await pool.query(`INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${columns}`, [
        name,
        categoryId,
        status ?? null,
      ])
      return pet(rows[0])
    },
  }
}
