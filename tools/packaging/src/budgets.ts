/** The size limits of the published packages. Raise a budget in the commit that exceeds it, for the reviewer to see. */

/** The size of the tarball that npm downloads, in bytes. */
export const tarballBudgets: Readonly<Record<string, number>> = {
  "@petstore/client": 64_000,
  "@petstore/core": 396_000,
  "@petstore/sqljs": 550_000,
  "@petstore/storage": 520_000,
  petstore: 2_095_000,
}

/** What an importer imports (`"*"` means everything), and the size limit of its bundle in bytes, minified and with Effect. */
export const bundleBudgets: ReadonlyArray<readonly [specifier: string, name: string, bytes: number]> = [
  ["@petstore/core", "decodeNewPet", 34_000],
  ["@petstore/core", "encodePet", 1_000],
  ["@petstore/core/promise", "parseNewPet", 5_400],
  ["@petstore/core/promise", "petStatuses", 1_000],
  ["@petstore/core/promise", "encodePet", 1_000],
  ["@petstore/core/promise", "openCatalogue", 206_000],
  ["@petstore/core/promise", "*", 254_000],
  ["@petstore/core/exact-json", "*", 1_100],
  ["@petstore/client", "*", 17_900],
  ["@petstore/client", "createClient", 16_700],
  ["@petstore/client", "verifyWebhook", 3_200],
  ["@petstore/client", "isPetstoreError", 200],
]
