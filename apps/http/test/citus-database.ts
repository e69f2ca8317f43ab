/** Creates a database, and distributes its tables across the Citus cluster that the tests share. */
import { environmentOf, petstore } from "@petstore/harness/command"
import { newCitusDatabase } from "@petstore/test/postgres"

export const newSpreadDatabase = async (): Promise<string> => {
  const url = await newCitusDatabase()
  await petstore(environmentOf({ DATABASE_URL: url }), "migrate", "--distribute")
  return url
}
