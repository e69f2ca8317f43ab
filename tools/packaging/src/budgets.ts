/** How large a published package may be. A budget is raised in the commit that needs it, where a reviewer sees it. */

/** Bytes of the tarball that npm downloads. */
export const tarballBudgets: Readonly<Record<string, number>> = {
  "@petstore/client": 34_000,
  "@petstore/core": 163_000,
  "@petstore/sqljs": 540_000,
  "@petstore/storage": 240_000,
  petstore: 1_650_000,
}

/** Bytes, minified and gzipped, of an entry in a bundle: without `effect` and `@effect/schema`, which an app has anyway. */
export const bundleBudgets: Readonly<Record<string, number>> = {
  "@petstore/client": 6_000,
  "@petstore/core": 7_500,
  "@petstore/core/exact-json": 800,
  "@petstore/core/promise": 6_000,
}
