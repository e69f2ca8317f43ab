/** A database whose tables are spread over the Citus cluster that tests share. */
import { petstore } from "@petstore/harness/serving"
import { newCitusDatabase } from "@petstore/test/postgres"

export const newSpreadDatabase = async (): Promise<string> => {
  const url = await newCitusDatabase()
  await petstore({ PATH: "/usr/local/bin:/usr/bin:/bin", DATABASE_URL: url }, "migrate", "--distribute")
  return url
}
