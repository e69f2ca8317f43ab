/** The peers' store on PostgreSQL: the driver's own pool, one query per call. */
import { Pool } from "pg"
import { petOf, requireValid, sha256 } from "./rules.ts"
import type { WaitingPeerStore } from "./store.ts"

const columns = `id::float8 AS id, name, category_id::float8 AS "categoryId", status`

export const postgresStore = (url: string): WaitingPeerStore => {
  const pool = new Pool({ connectionString: url, max: 10 })
  return {
    checkKey: async (secret) => {
      const { rows } = await pool.query("SELECT expires_at, revoked_at FROM api_keys WHERE hash = $1", [sha256(secret)])
      requireValid(rows[0])
    },
    page: async ({ limit, status, after }) => {
      const { rows } = await (status === undefined
        ? pool.query(`SELECT ${columns} FROM pets WHERE id > $1 ORDER BY pets.id LIMIT $2`, [after, limit + 1])
        : pool.query(`SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY pets.id LIMIT $3`, [
            status,
            after,
            limit + 1,
          ]))
      return rows.map((row) => petOf(row))
    },
    find: async (id) => {
      const { rows } = await pool.query(`SELECT ${columns} FROM pets WHERE id = $1`, [id])
      return petOf(rows[0], id)
    },
    create: async ({ name, categoryId, status }) => {
      const { rows } = await pool.query(`INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${columns}`, [
        name,
        categoryId,
        status ?? null,
      ])
      return petOf(rows[0])
    },
  }
}
