import { Client } from "pg"

/** Runs SQL directly on the database, and returns rows of text. */
export const rowsOf = async (url: string, text: string): Promise<ReadonlyArray<ReadonlyArray<string | null>>> => {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => String as never } })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: "array" })).rows
  } finally {
    await client.end()
  }
}
